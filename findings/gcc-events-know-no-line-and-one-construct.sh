#!/usr/bin/env bash
# Software: GCC 12.2.0's OpenACC runtime (Debian's gcc-12, libgomp1), asked by a tool that
#   ACC_PROFLIB names.
# Belief: the profiling interface tells a tool where a construct stands and what it is
#   (OpenACC 3.3 §5.2.1, §5.2.2: line_no, end_line_no, parent_construct), at least with -g.
# Behaviour: every line is -1, with -g too, and "kernels" and "serial" are both told as
#   acc_construct_parallel: from its events a tool can not tell which directive it looks at.
# Output seen: "parallel 0 at -1; kernels 0 at -1; serial 0 at -1".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "changed: $*" >&2; exit 1; }
command -v gcc-12 >/dev/null || { echo "needs gcc-12: apt-get install gcc-12" >&2; exit 1; }
case $(gcc-12 -dumpfullversion) in
12.2.*) ;;
*) echo "needs GCC 12.2, this is $(gcc-12 -dumpfullversion)" >&2; exit 1 ;;
esac
cd "$folder"
cat >tool.c <<'C'
#include <stdio.h>
#include <acc_prof.h>

static void
tell (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  (void) api;
  printf ("%d at %d\n", event->launch_event.parent_construct, profile->line_no);
}

void
acc_register_library (acc_prof_reg register_callback, acc_prof_reg unregister, acc_prof_lookup_func look)
{
  (void) unregister, (void) look;
  register_callback (acc_ev_compute_construct_start, tell, acc_reg);
}
C
cat >program.c <<'C'
int
main (void)
{
  int a[3] = { 0 };
#pragma acc parallel
  a[0] = 1;
#pragma acc kernels
  a[1] = 1;
#pragma acc serial
  a[2] = 1;
  return a[0] + a[1] + a[2] == 3 ? 0 : 1;
}
C
gcc-12 -shared -fPIC -o tool.so tool.c
gcc-12 -fopenacc -foffload=disable -g -o program program.c
mapfile -t told < <(ACC_PROFLIB=./tool.so ACC_DEVICE_TYPE=host ./program)
seen="parallel ${told[0]:-untold}; kernels ${told[1]:-untold}; serial ${told[2]:-untold}"
echo "$seen"
[ "$seen" = "parallel 0 at -1; kernels 0 at -1; serial 0 at -1" ] || fail "$seen"
