#!/bin/bash
# run.sh - the cost of capturing one event, side by side: nanoseconds a call,
# the best of three rounds of EVENTS (default 2,000,000) events.
set -euo pipefail
cd "$(dirname "$0")/../../.."
events=${EVENTS:-2000000}
work=$(mktemp -d /dev/shm/accscope-bench-XXXXXX)
daemon=$work/daemon
trap '[ ! -s "$daemon" ] || kill "$(cat "$daemon")"; rm -rf "$work"' EXIT
compile="${CC:-gcc-12} -O2 -Iruntime/include"
$compile -o "$work/capture" collector/proflib/bench/capture.c -ldl
best() { sort -n | head -1; }
row() { printf '%-58s %8s\n' "$1" "$2"; }

row 'capture of one event' 'ns'
row 'empty callback' "$("$work/capture" "$events" | best)"
export ACCSCOPE_SESSION="$work/session"
mkdir "$work/session"
library="$PWD/lib/libaccprof.so"
row 'accscope, switched off' "$(ACCSCOPE_CAPTURE=off "$work/capture" "$events" -l "$library" | best)"
row 'accscope, every page new (tmpfs)' "$(ACCSCOPE_CAPTURE_LIMIT=4GiB "$work/capture" "$events" -l "$library" | best)"
row 'accscope, flight recorder of 64 MiB' "$(ACCSCOPE_LAST=64MiB "$work/capture" "$events" -l "$library" | best)"
rm -rf "$work/session"

if command -v lttng >/dev/null && $compile -fPIC -shared -Icollector/proflib/bench -o "$work/lttng.so" \
    collector/proflib/bench/lttng_library.c -llttng-ust -ldl 2>"$work/log"; then
  export LTTNG_HOME="$work"
  lttng-sessiond --daemonize --pidfile="$daemon" >/dev/null 2>&1 || true
  session=accscope-bench-$$
  if lttng create "$session" --output="$work/trace" >/dev/null 2>&1; then
    lttng enable-channel -u events --subbuf-size=8M --num-subbuf=8 >/dev/null
    lttng enable-event -u -c events 'accscope_bench:*' >/dev/null
    lttng start >/dev/null
    row 'LTTng-UST, the same fields' "$("$work/capture" "$((events / 4))" -l "$work/lttng.so" | best)"
    lttng destroy >/dev/null 2>&1
  else
    row 'LTTng-UST, the same fields' 'no session daemon'
  fi
else
  row 'LTTng-UST, the same fields' 'not installed'
fi
