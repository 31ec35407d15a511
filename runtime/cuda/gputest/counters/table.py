"""Makes one table of ncu's: table.py FOLDER METRIC... writes a row a kernel and a column a metric."""
import csv
import pathlib
import sys

rows, columns = [], []
wanted = set(sys.argv[2:])  # the device's attributes are there, too
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.csv")):
    lines = [line for line in path.read_text().splitlines() if line.startswith('"')]
    for row in csv.DictReader(lines):
        if not row.get("ID", "").isdigit():
            continue  # the units
        kernel = row["Kernel Name"].split("(")[0]
        values = {name: value.replace(",", "") for name, value in row.items() if name in wanted}
        columns += [name for name in values if name not in columns]
        rows.append((path.stem, kernel, values))
print("program", "kernel", *columns, sep="\t")
for program, kernel, values in rows:
    print(program, kernel, *(values.get(name, "") for name in columns), sep="\t")
sys.exit(0 if rows else "no kernel was counted")
