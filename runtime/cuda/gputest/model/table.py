"""Makes the kept table of a card of what measure.sh has written: table.py FOLDER writes a row for each kernel
of each run, with the time of its launches, in the middle; of several without the first one."""
import collections
import csv
import pathlib
import statistics
import sys

launches = collections.defaultdict(list)
with open(pathlib.Path(sys.argv[1]) / "kernels.tsv") as file:
    for row in csv.DictReader(file, delimiter="\t"):
        launches[row["run"], row["kernel"], row["gangs"], row["workers"], row["vector"]].append(int(row["nanoseconds"]))
print("run", "kernel", "gangs", "workers", "vector", "launches", "nanoseconds", sep="\t")
for key, times in launches.items():
    print(*key, len(times), round(statistics.median(times[1:] or times)), sep="\t")
