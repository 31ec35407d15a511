#!/usr/bin/env bash
# Software: GCC 12.2.0's OpenACC (Debian's gcc-12).
# Belief: in a "kernels" construct "loop independent" tells the compiler what it could not prove
#   itself (OpenACC 3.3 §2.9.6), and the loop is spread over gangs as it is in "parallel".
# Behaviour: with the directive the loop is run in sequence, by one lane of one gang; the same
#   loop in "parallel" gets gangs and vector. --param=openacc-kernels=decompose, which is not the
#   default, gives it both. -fopt-info-omp says so; without it nothing does.
# Output seen: "kernels: seq; kernels, decomposed: gang vector; parallel: gang vector".
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
for construct in kernels parallel; do
  cat >$construct.c <<C
void
add (int n, float *restrict a, const float *restrict b)
{
#pragma acc $construct copy(a[0:n]) copyin(b[0:n])
#pragma acc loop independent
  for (int i = 0; i < n; i++)
    a[i] += b[i];
}
C
done
assigned() { LC_ALL=C gcc-12 -fopenacc -foffload=disable -O2 -fopt-info-omp -S -o /dev/null "$@" 2>&1 | sed -n 's/.*assigned OpenACC \(.*\) loop parallelism/\1/p'; }
seen="kernels: $(assigned kernels.c); kernels, decomposed: $(assigned --param=openacc-kernels=decompose kernels.c); parallel: $(assigned parallel.c)"
echo "$seen"
[ "$seen" = "kernels: seq; kernels, decomposed: gang vector; parallel: gang vector" ] || fail "$seen"
