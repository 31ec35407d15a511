#!/usr/bin/env bash
# Software: GCC 12.2.0's Fortran compiler (Debian's gfortran-12).
# Belief: variables of a main program are saved (Fortran 2008 §5.3.16), so large arrays of it are
#   static; an option for directives does not move them. --help=fortran says of -fopenmp that it
#   implies -frecursive, and of -fopenacc that it enables OpenACC.
# Behaviour: -fopenacc implies -frecursive, too, and the main program's arrays are on its stack:
#   one of some megabytes, which works without the option, no longer fits into the usual 8 MiB.
#   Only an option that contradicts it, as -fno-automatic, makes the compiler say so.
# Output seen: "static bytes of 4000000: without 4000000, -fopenacc 0, -fopenacc
#   -fmax-stack-var-size=65536 4000000; help of -fopenacc with frecursive: 0, of -fopenmp: 1;
#   told with -fno-automatic: 1".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "changed: $*" >&2; exit 1; }
for program in gfortran-12 size; do
  command -v $program >/dev/null || { echo "needs $program: apt-get install gfortran-12 binutils" >&2; exit 1; }
done
case $(gfortran-12 -dumpfullversion) in
12.2.*) ;;
*) echo "needs GCC 12.2, this is $(gfortran-12 -dumpfullversion)" >&2; exit 1 ;;
esac
cd "$folder"
export LC_ALL=C
cat >large.f90 <<'F'
program large
  implicit none
  real :: a(1000000)
  integer :: i
  do i = 1, 1000000
    a(i) = i
  end do
  print *, sum(a) > 0
end program
F
bytes() {
  gfortran-12 -O0 "$@" -c -o large.o large.f90 2>told
  size large.o | awk 'NR == 2 { print $3 }'
}
help() { gfortran-12 --help=fortran | grep -A1 -e "^  $1 " | grep -c frecursive || true; }
without=$(bytes) with=$(bytes -fopenacc) limited=$(bytes -fopenacc -fmax-stack-var-size=65536)
bytes -fopenacc -fno-automatic >/dev/null
seen="static bytes of 4000000: without $without, -fopenacc $with, -fopenacc -fmax-stack-var-size=65536 $limited; help of -fopenacc with frecursive: $(help -fopenacc), of -fopenmp: $(help -fopenmp); told with -fno-automatic: $(grep -c "implied by" told || true)"
echo "$seen"
[ "$seen" = "static bytes of 4000000: without 4000000, -fopenacc 0, -fopenacc -fmax-stack-var-size=65536 4000000; help of -fopenacc with frecursive: 0, of -fopenmp: 1; told with -fno-automatic: 1" ] || fail "$seen"
