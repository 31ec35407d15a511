#!/usr/bin/env bash
# Runs the programs of a folder that carry.sh has made, and writes to $OUT what took how long:
# kernels.tsv, transfers.tsv and runs.tsv, with a row for each of them. Without a GPU, MODEL=CARD
# has the simulated device do the same with modelled times. Usage: measure.sh [RUN...]
set -uo pipefail
here=$(realpath "$(dirname "$0")")
out=${OUT:?a folder for the results}
export LD_LIBRARY_PATH=$here/lib:$here/gcc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cupti=$(ls -d "${CUDA_HOME:-/usr/local/cuda}"/{extras/CUPTI/lib64,lib64,targets/x86_64-linux/lib}/libcupti.so* 2>/dev/null | head -1)
[ -n "$cupti" ] || cupti=$(find /usr /opt -name 'libcupti.so*' 2>/dev/null | head -1)
how=(--device nvidia)
if [ -n "${MODEL:-}" ]; then how=(--device sim --code gpu --model "$MODEL" --counters)
elif [ -n "$cupti" ]; then export ACCSCOPE_CUPTI=$cupti; how+=(--activity cupti); fi
{ nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,clocks.mem --format=csv,noheader; echo "${how[*]} $cupti"; } >"$out/machine.txt" 2>&1
printf 'run\tkernel\tfile\tline\tgangs\tworkers\tvector\tstart\tnanoseconds\n' >"$out/kernels.tsv"
printf 'run\tdirection\tbytes\tpageable\tstart\tnanoseconds\n' >"$out/transfers.tsv"
printf 'run\tevents\tdevice\n' >"$out/runs.tsv"
status=0
while IFS=$'\t' read -r name command; do
  case $name in '' | \#*) continue ;; esac
  [ $# = 0 ] || [[ " $* " = *" $name "* ]] || continue
  # shellcheck disable=SC2086 # words
  timeout 100 "$here/bin/accscope" run -q --no-summary --force "${how[@]}" -o "$work/trace.db" -- "$here/programs/"$command >"$work/said" 2>&1 || {
    echo "$name ends with $?" >&2
    tail -3 "$work/said" >&2
    status=1
  }
  ask() { "$here/bin/accscope" query --format csv "$work/trace.db" "$1" | tail -n +2 | sed "s/^/$name,/" | tr ',' '\t'; }
  ask "SELECT kernel, replace(source_file, rtrim(source_file, replace(source_file, '/', '')), ''), line, gangs, workers, vector, start, device_time FROM kernels WHERE device_time IS NOT NULL ORDER BY start" >>"$out/kernels.tsv"
  ask "SELECT direction, bytes, pageable, start, device_time FROM transfers WHERE device_time IS NOT NULL ORDER BY start" >>"$out/transfers.tsv"
  ask "SELECT (SELECT max(start + duration) - min(start) FROM spans), (SELECT max(end) - min(start) FROM device_activity)" >>"$out/runs.tsv"
done <"$here/runs.txt"
wc -l "$out"/*.tsv
cat "$out/machine.txt"
exit $status
