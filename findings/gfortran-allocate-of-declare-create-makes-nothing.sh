#!/usr/bin/env bash
# Software: GCC 12.2.0's OpenACC in Fortran (Debian's gfortran-12).
# Belief: "declare create(a)" of an allocatable module variable makes "allocate (a(n))" create it
#   on the device as well, and "deallocate (a)" delete it (OpenACC 3.3 §2.13.2).
# Behaviour: neither statement calls the runtime: only the array's descriptor is the device's. A
#   kernel that uses the array finds it absent on a GPU, and on the host nothing is to be seen.
#   "enter data create(a)" behind the allocation, which nothing asks for, makes it.
# Output seen: "calls: allocate 0, deallocate 0, enter data 1".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "changed: $*" >&2; exit 1; }
command -v gfortran-12 >/dev/null || { echo "needs gfortran-12: apt-get install gfortran-12" >&2; exit 1; }
case $(gfortran-12 -dumpfullversion) in
12.2.*) ;;
*) echo "needs GCC 12.2, this is $(gfortran-12 -dumpfullversion)" >&2; exit 1 ;;
esac
cd "$folder"
cat >declared.f90 <<'F'
module declared
  real, allocatable :: a(:)
  !$acc declare create(a)
end module declared
F
part() { # NAME STATEMENT: how often the runtime is called for it
  printf 'subroutine part(n)\n  use declared\n  integer :: n\n  %s\nend subroutine part\n' "$2" >"$1.f90"
  gfortran-12 -fopenacc -foffload=disable -O0 -fdump-tree-optimized="$1.made" -S -o /dev/null "$1.f90"
  grep -q 'part (' "$1.made" || fail "no code of the subroutine in GCC's own listing"
  grep -cE 'GOACC_|acc_' "$1.made" || true
}
gfortran-12 -fopenacc -foffload=disable -fsyntax-only declared.f90
seen="calls: allocate $(part allocate 'allocate (a(n))'), deallocate $(part deallocate 'deallocate (a)'), enter data $(part enter '!$acc enter data create(a)')"
echo "$seen"
[ "$seen" = "calls: allocate 0, deallocate 0, enter data 1" ] || fail "$seen"
