#!/usr/bin/env bash
# Runs what carry.sh gathered, on GCC's own runtime and on ours, side by side.
# Usage: run.sh [STEP...], steps: smoke measure matrix errors tests profiled compilers bench pairs costs trace foreign; all without.
# Results go to $OUT (default: the folder results beside this script). $CARRY is what
# was gathered (default: this script's folder).
set -uo pipefail
self=$(realpath "$0")
carry=$(realpath "${CARRY:-$(dirname "$self")}")
OUT=${OUT:-$carry/results}
mkdir -p "$OUT"
export CARRY=$carry
export ACC_DEVICE_TYPE=nvidia LC_ALL=C
if [ -e "$carry/gcc/libc.so.6" ]; then
  # Programs of another release, with all its libraries (toolchain.sh).
  unset LD_LIBRARY_PATH
  there=/tmp/accscope-$(basename "$carry")
  ln -sfn "$carry/gcc" "$there"
  [ -O "$there" ] || { echo "$there is another user's" >&2; exit 1; }
else
  export LD_LIBRARY_PATH=$carry/gcc:${LD_LIBRARY_PATH:-}
fi
ours=(env "LD_PRELOAD=$carry/lib/libopenacc.so")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod +x "$carry"/bin/* "$carry"/programs/* "$carry"/launches "$carry"/waitany "$carry"/reductions "$carry"/timing "$carry"/bare "$carry"/measure "$carry"/tests/* "$carry"/matrix/* "$carry"/errors/* 2>/dev/null

smoke() {
  echo "== programs: status and time on GCC's runtime and on ours"
  for program in "$carry"/programs/*; do
    name=$(basename "$program")
    for runtime in gcc ours; do
      if [ $runtime = ours ]; then run=("${ours[@]}"); else run=(env); fi
      start=$(date +%s.%N)
      timeout 60 "${run[@]}" "$program" >"$work/$name.$runtime" 2>"$work/$name.$runtime.err"
      status=$?
      printf '%-10s %-5s status %3d  %6.2f s\n' "$name" $runtime $status "$(echo "$(date +%s.%N) - $start" | bc -l 2>/dev/null || python3 -c "import time;print(time.time()-$start)")"
      if [ $runtime = ours ] && [ $status != 0 ]; then head -c 2000 "$work/$name.$runtime.err"; fi
    done
    # Some print times.
    sed -i '/^initialization\|^first launch/d' "$work/$name.gcc" "$work/$name.ours"
    diff "$work/$name.gcc" "$work/$name.ours" >"$work/difference" || { echo "  output differs:"; head -8 "$work/difference"; }
  done
  echo "== chosen without ACC_DEVICE_TYPE"
  env -u ACC_DEVICE_TYPE "${ours[@]}" "$carry/programs/device" 2>&1 | tail -1
  echo "== acc_wait_any, which GCC's runtime does not have"
  timeout 60 "${ours[@]}" "$carry/waitany" 2>&1 | tail -3
  echo "== reductions, as rewritten and as GCC wrote them"
  timeout 60 "${ours[@]}" "$carry/reductions" 2>&1 | tail -5
  timeout 60 "${ours[@]}" ACCSCOPE_CUDA_REWRITE=0 "$carry/reductions" 2>&1 | tail -5
}

# one NAME ENVIRONMENT RUNTIME: runs a test, prints its status.
one() {
  local name=$1 environment=$2 runtime=$3 folder status
  folder=$(mktemp -d)
  cd "$folder" || return
  # shellcheck disable=SC2086 # the environment is words
  if [ "$runtime" = ours ]; then
    timeout 60 env $environment "LD_PRELOAD=$CARRY/lib/libopenacc.so" "$CARRY/tests/$name" >out 2>err </dev/null
  elif [ "$runtime" = profiled ]; then
    timeout 60 env $environment "LD_PRELOAD=$CARRY/lib/libopenacc.so" "ACC_PROFLIB=$CARRY/lib/libaccprof.so" "$CARRY/tests/$name" >out 2>err </dev/null
  else
    timeout 60 env $environment "$CARRY/tests/$name" >out 2>err </dev/null
  fi
  status=$?
  printf '%s\t%s\t%d\t%s\n' "$name" "$runtime" $status "$(cat err out | tr '\n\t' '  ' | head -c 300)"
  rm -rf "$folder"
}
export -f one

# all_tests RUNTIME: runs each of GCC's tests.
all_tests() {
  local runtime=$1 start=$SECONDS
  while IFS=$'\t' read -r name environment; do
    printf '%s\0%s\0%s\0' "$name" "$environment" "$runtime"
  done <"$carry/tests/list" | xargs -0 -n 3 -P 8 bash -c 'one "$@"' _ >"$OUT/tests.$runtime.tsv" 2>"$OUT/tests.$runtime.err"
  echo "== GCC's tests on $runtime: $(awk -F'\t' '$3 == 0' "$OUT/tests.$runtime.tsv" | wc -l) of $(wc -l <"$OUT/tests.$runtime.tsv") end with status 0, $((SECONDS - start)) s"
}

tests() {
  all_tests gcc
  all_tests ours
  sort "$OUT/tests.gcc.tsv" >"$work/gcc"
  sort "$OUT/tests.ours.tsv" >"$work/ours"
  join -t $'\t' -o 1.1,1.3,2.3,2.4 "$work/gcc" "$work/ours" >"$OUT/tests.both.tsv"
  echo "== status 0 on GCC's runtime, not on ours:"
  awk -F'\t' '$2 == 0 && $3 != 0 { print $1, $3, substr($4, 1, 160) }' "$OUT/tests.both.tsv"
  echo "== status 0 on ours, not on GCC's runtime:"
  awk -F'\t' '$2 != 0 && $3 == 0 { print $1, $2 }' "$OUT/tests.both.tsv"
}

# A profiler changes no test's end.
profiled() {
  [ -e "$OUT/tests.ours.tsv" ] || all_tests ours
  all_tests profiled
  sort "$OUT/tests.ours.tsv" >"$work/ours"
  sort "$OUT/tests.profiled.tsv" >"$work/profiled"
  echo "== another status under the profiler:"
  join -t $'\t' -o 1.1,1.3,2.3,2.4 "$work/ours" "$work/profiled" | awk -F'\t' '$2 != $3 { print $1, $2, $3, substr($4, 1, 160) }'
}

# Only what does not pass on ours is run on GCC's runtime.
sample() {
  all_tests ours
  local name environment
  awk -F'\t' '$3 != 0 { print $1 }' "$OUT/tests.ours.tsv" | while read -r name; do
    environment=$(awk -F'\t' -v name="$name" '$1 == name { print $2 }' "$carry/tests/list")
    one "$name" "$environment" gcc
  done >"$OUT/tests.gcc.tsv"
  awk -F'\t' '{ if (FNR == NR) gcc[$1] = $3; else if ($3 != 0) print ($1 in gcc && gcc[$1] == 0 ? "  only on ours:" : "  on both:"), $1, "status", $3, substr($4, 1, 200) }' \
    "$OUT/tests.gcc.tsv" "$OUT/tests.ours.tsv"
}

# What other versions of GCC have compiled (others.sh), all at once.
compilers() {
  local folder name
  for folder in "$carry"/gcc-*/; do
    [ -e "$folder/version" ] || { echo "== other compilers: none here"; return; }
    name=$(basename "$folder")
    mkdir -p "$OUT/$name"
    CARRY=$folder OUT=$OUT/$name "$self" smoke matrix sample trace >"$work/$name.log" 2>&1 &
  done
  wait
  for folder in "$carry"/gcc-*/; do
    echo "== GCC $(cat "$folder/version")"
    cat "$work/$(basename "$folder").log"
  done
}

# cupti: the path of CUPTI's library, empty if it is not installed.
cupti() {
  {
    ls -d "${CUDA_HOME:-/usr/local/cuda}"/{extras/CUPTI/lib64,lib64,targets/x86_64-linux/lib}/libcupti.so* 2>/dev/null
    find /usr /opt /root -name 'libcupti.so*' 2>/dev/null
  } | head -1
}

found=$(cupti)
export ACCSCOPE_CUPTI=$found

measure() {
  echo "== CUPTI: $(find / -xdev -name 'libcupti.so*' 2>/dev/null | tr '\n' ' ')"
  timeout 120 "$carry/measure" "$found" 2>&1
}

# The same program on sim says what the events should be.
matrix() {
  echo "== the event matrix's programs; compare with ACCSCOPE_GPU_RESULTS=$OUT go test ./runtime/eventmatrix"
  local device program
  for program in directives.c directives.f90 routines.c routines.f90; do
    for device in nvidia sim; do
      timeout 60 env "LD_PRELOAD=$carry/lib/libopenacc.so" "ACC_PROFLIB=$carry/matrix/recorder.so" ACC_DEVICE_TYPE=$device \
        "RECORD_FILE=$OUT/$program.$device.events" "$carry/matrix/$program" >"$work/out" 2>&1
      echo "$program on $device: status $?, $(wc -l <"$OUT/$program.$device.events") events; $(tail -1 "$work/out" | cut -c1-200)"
    done
  done
}

errors() {
  echo "== the error table's programs; compare with ACCSCOPE_GPU_RESULTS=$OUT go test ./runtime/errortable"
  local program number
  for program in errors-c errors-fortran; do
    while read -r number; do
      timeout 60 "${ours[@]}" "$carry/errors/$program" "$number" >"$work/out" 2>"$work/err" </dev/null
      echo "case $number $?"
      # Unlike sed, awk ends a last line that has no end.
      awk '{ print "out " $0 }' "$work/out"
      awk '{ print "err " $0 }' "$work/err"
    done <"$carry/errors/$program.cases" >"$OUT/$program.results"
    echo "$program: $(grep -c '^case ' "$OUT/$program.results") cases"
  done
}

bench() {
  echo "== bare CUDA driver"; "$carry/bare"
  for round in 1 2; do
    echo "== GCC's runtime ($round)"; timeout 120 "$carry/launches"
    echo "== ours ($round)"; timeout 120 "${ours[@]}" "$carry/launches"
    echo "== ours, profiled ($round)"
    timeout 120 "$carry/bin/accscope" run --force --no-summary -q --device nvidia -o "$work/launches.db" -- "$carry/launches" 2>&1 | head -12
    for how in cupti runtime off; do
      echo "== ours, profiled with --activity $how ($round)"
      timeout 120 "$carry/bin/accscope" run --activity $how --force --no-summary -q --device nvidia -o "$work/launches.db" -- "$carry/launches" 2>&1 | head -12
    done
  done
}

# The launch-bound lines without and with the profiler, by turns: $PAIRS times, for
# machines whose figures differ more from run to run than by the profiler.
pairs() {
  local how round
  : >"$OUT/pairs"
  for round in $(seq "${PAIRS:-60}"); do
    "${ours[@]}" "$carry/launches" 5 2 | sed 's/^/plain /' >>"$OUT/pairs"
    for how in auto off; do
      "$carry/bin/accscope" run --activity $how --force --no-summary -q --device nvidia -o "$work/launches.db" -- "$carry/launches" 5 2 2>&1 |
        sed "s/^/$how /" >>"$OUT/pairs"
    done
  done
  echo "== launches without and with the profiler: medians in us, and of the ratio in each of ${PAIRS:-60} rounds"
  for how in auto off; do
    for line in "launch, synchronous" "launch, 64 then wait"; do
      awk -v how=$how -v line="$line" 'index($0, "plain " line) == 1 { plain = $(NF - 1) }
        index($0, how " " line) == 1 && plain { print plain, $(NF - 1), $(NF - 1) / plain; plain = 0 }' "$OUT/pairs" >"$work/ratios"
      printf '%-5s %-22s plain %s, profiled %s, ratio %s\n' $how "$line" "$(middle 1)" "$(middle 2)" "$(middle 3)"
    done
  done
}

# Whole programs without and with the profiler by turns: $TURNS times, with the
# kernels of the mini-application taking $KERNELS microseconds on average. GCC's
# runtime takes part in $NATIVE_TURNS turns.
costs() {
  echo "== whole programs: what profiling costs them, and their time by that of their kernels"
  "$carry/bin/bench" -accscope "$carry/bin/accscope" -library "$carry/lib/libopenacc.so" -programs "$carry/programs" \
    -device nvidia -turns "${TURNS:-20}" -native-turns "${NATIVE_TURNS:-3}" -kernels "${KERNELS:-5,20,100}" \
    -launches "${LAUNCHES:-50000}" -only "${ONLY:-}" 2>&1 | tee "$OUT/costs"
  echo "== empty kernels: callbacks switched on and off by turns inside one run, three runs each"
  for mode in async sync async sync async sync; do
    printf '%-6s' $mode
    "$carry/bin/accscope" run -q --no-summary --force --device nvidia -o "$work/turns.db" -- \
      "$carry/programs/loop" "${EMPTY_LAUNCHES:-1000000}" $mode empty turns 2>&1 | grep '^callbacks'
  done | tee -a "$OUT/costs"
}

# middle COLUMN: the median of the ratios' column.
middle() {
  sort -g -k "$1,$1" "$work/ratios" | awk -v column="$1" '{ value[NR] = $column } END { printf "%.3f", value[int((NR + 1) / 2)] }'
}

trace() {
  echo "== traces"
  for program in jacobi pipeline stencil; do
    timeout 120 "$carry/bin/accscope" run --force --device nvidia -o "$OUT/$program.db" -- "$carry/programs/$program" >"$work/out" 2>&1 || { echo "$program failed:"; tail -5 "$work/out"; }
    "$carry/bin/accscope" report "$OUT/$program.db" >"$OUT/$program.report" 2>&1
    head -40 "$OUT/$program.report"
  done
  [ -e "$carry/timing" ] || return 0
  echo "== kernels timed by CUDA's events on the queue's stream, and in the trace"
  for how in auto cupti runtime; do
    ACCSCOPE_ACTIVITY=$how timeout 120 "$carry/bin/accscope" run -q --no-summary --force --device nvidia -o "$OUT/timing.$how.db" -- "$carry/timing" 2>&1 | tee "$OUT/timing.$how.ms" | head -5
    "$carry/bin/accscope" report "$OUT/timing.$how.db" 2>&1 | grep -A 5 '^Kernels'
  done
}

foreign() {
  echo "== GCC's runtime with CUPTI"
  for program in particles pipeline saxpy device; do
    timeout 120 "$carry/bin/accscope" run --runtime native -q --force --device nvidia -o "$OUT/gcc.$program.db" -- "$carry/programs/$program" >"$work/out" 2>&1 || { echo "$program failed:"; tail -5 "$work/out"; }
    "$carry/bin/accscope" report "$OUT/gcc.$program.db" 2>&1 | sed -n '/^Kernels/,$p' | head -24
  done
  timeout 120 "$carry/bin/accscope" run --runtime native -q --no-summary --force --device nvidia -o "$OUT/gcc.timing.db" -- "$carry/timing" 2>&1 | head -5
  "$carry/bin/accscope" report "$OUT/gcc.timing.db" 2>&1 | grep -A 5 '^Kernels'
}

for step in "${@:-smoke measure matrix errors tests profiled compilers bench pairs costs trace foreign}"; do
  for s in $step; do $s; done
done 2>&1 | tee "$OUT/log.txt"
