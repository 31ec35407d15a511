#!/usr/bin/env bash
# Software: GCC 12.2.0's OpenACC (Debian's gcc-12).
# Belief: "collapse(2)" (OpenACC 3.3 §2.9.1) runs each iteration of two loops, as the loops
#   without the directive do: each loop's own count fits its variable.
# Behaviour: the counts are multiplied in the type of the loops' variables. Two int loops of
#   65,536 iterations are 2^32, which is 0 in 32 bits: no iteration runs, without a warning of
#   -Wall -Wextra and without an error at run time. With long variables all of them run.
# Output seen: "int: 0 of 4294967296 iterations, 0 lines of warnings; long: 4294967296".
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
cat >collapse.c <<'C'
#include <stdio.h>

int
main (void)
{
  long narrow = 0, wide = 0;
  int rows = 65536, columns = 65536;
#pragma acc parallel loop collapse(2) reduction(+:narrow) copy(narrow)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      narrow++;
#pragma acc parallel loop collapse(2) reduction(+:wide) copy(wide)
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < columns; j++)
      wide++;
  printf ("%ld %ld\n", narrow, wide);
  return 0;
}
C
gcc-12 -fopenacc -foffload=disable -O2 -Wall -Wextra -o collapse collapse.c 2>told
read -r narrow wide < <(ACC_DEVICE_TYPE=host ./collapse)
seen="int: $narrow of 4294967296 iterations, $(wc -l <told) lines of warnings; long: $wide"
echo "$seen"
[ "$seen" = "int: 0 of 4294967296 iterations, 0 lines of warnings; long: 4294967296" ] || fail "$seen"
