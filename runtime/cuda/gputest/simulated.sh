#!/usr/bin/env bash
# Runs GCC's tests, compiled for NVIDIA GPUs, on the simulated device, which executes
# their GPU code, and compares how they end with how they did on a GPU (h200.tsv). What
# ends well there ends well here, but for the tests named below.
# Usage: simulated.sh SUITE, after `make`; SUITE has libgomp/testsuite (`make conformance`
# unpacks it). ACCSCOPE_SAMPLE names a file with the tests to take.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../../..")
work=$root/.build/gpucode
# c-pr83920.c writes behind its array, which a GPU does not see. c-lib-3.c shuts a device
# down that a program without GPU code does not have here.
differs=(c-pr83920.c c-lib-3.c)

mkdir -p "$work"
"$here/tests.sh" "$1" "$work" ${ACCSCOPE_SAMPLE:+"$ACCSCOPE_SAMPLE"} | tail -n 1
export ACCSCOPE_SIM_CODE=gpu ACCSCOPE_SIM_KERNEL_TIMEOUT=300s LC_ALL=C
export RUNTIME=$root/lib/libopenacc.so

# one NAME ENVIRONMENT: runs a test, prints its status.
one() {
  local folder status=0
  folder=$(mktemp -d)
  cd "$folder"
  # shellcheck disable=SC2086 # the environment is words
  timeout 600 env $2 ACC_DEVICE_TYPE=nvidia "LD_PRELOAD=$RUNTIME" "$TESTS/$1" >out 2>err </dev/null || status=$?
  printf '%s\t%d\t%s\n' "$1" $status "$(cat err out | tr '\n\t' '  ' | head -c 200)"
  rm -rf "$folder"
}
export -f one
export TESTS=$work/tests
while IFS=$'\t' read -r name environment; do printf '%s\0%s\0' "$name" "$environment"; done <"$TESTS/list" |
  xargs -0 -r -n 2 -P "$(nproc)" bash -c 'one "$@"' _ 2>/dev/null | sort >"$work/ends.tsv"
for name in "${differs[@]}"; do sed -i "/^$name\t/d" "$work/ends.tsv"; done
worse=$(join -t $'\t' <(sort "$here/h200.tsv" | grep -v '^#') "$work/ends.tsv" | awk -F'\t' '$2 == 0 && $3 != 0 { print "  " $1 ": status " $3 ", " $4 }')
echo "$(awk -F'\t' '$2 == 0' "$work/ends.tsv" | wc -l) of $(wc -l <"$work/ends.tsv") tests end with status 0 on the simulated device"
if [ -n "$worse" ]; then
  echo "these end well on a GPU, and not here:"
  echo "$worse"
  exit 1
fi
