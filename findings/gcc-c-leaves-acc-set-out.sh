#!/usr/bin/env bash
# Software: GCC 12.2.0's OpenACC in C and Fortran (Debian's gcc-12, gfortran-12).
# Belief: -fopenacc makes "set", "init" and "shutdown" (OpenACC 3.3 §2.14.1 to §2.14.3) work,
#   or says that it does not know them.
# Behaviour: C compiles a program with all three without a word and with status 0, and they do
#   nothing: the program goes on with another device than it chose. Only with -Wunknown-pragmas,
#   which -Wall has, there is a warning. The same directive in Fortran is an error.
# Output seen: "C: status 0, 0 lines told, with -Wall 3 warnings, 0 calls; Fortran: status 1".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "changed: $*" >&2; exit 1; }
for compiler in gcc-12 gfortran-12; do
  command -v $compiler >/dev/null || { echo "needs $compiler: apt-get install $compiler" >&2; exit 1; }
done
case $(gcc-12 -dumpfullversion) in
12.2.*) ;;
*) echo "needs GCC 12.2, this is $(gcc-12 -dumpfullversion)" >&2; exit 1 ;;
esac
cd "$folder"
cat >choose.c <<'C'
int
main (void)
{
#pragma acc init
#pragma acc set device_num (1)
#pragma acc shutdown
  return 0;
}
C
printf 'program choose\n  !$acc set device_num(1)\nend program\n' >choose.f90
export LC_ALL=C
c=0 fortran=0
gcc-12 -fopenacc -foffload=disable -S -o choose.s choose.c 2>told || c=$?
calls=$(grep -ci 'goacc\|acc_' choose.s || true)
warnings=$(gcc-12 -fopenacc -foffload=disable -Wall -S -o /dev/null choose.c 2>&1 | grep -c 'warning: ignoring' || true)
gfortran-12 -fopenacc -foffload=disable -S -o /dev/null choose.f90 2>/dev/null || fortran=$?
seen="C: status $c, $(wc -l <told) lines told, with -Wall $warnings warnings, $calls calls; Fortran: status $fortran"
echo "$seen"
[ "$seen" = "C: status 0, 0 lines told, with -Wall 3 warnings, 0 calls; Fortran: status 1" ] || fail "$seen"
