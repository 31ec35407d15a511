#!/usr/bin/env bash
# Software: gfortran 12.2.0 (Debian's gfortran-12).
# Belief: "update self(b(2:5,3:4))" brings the eight elements of the section to the host and
#   leaves all others there as they are (OpenACC 3.3 §2.7.1, §2.14.4).
# Behaviour: the call that is made of it names one range that begins with b(2,3) and has as
#   many bytes as two whole columns: of b(10,10) 160 for the section's 64. Elements that the
#   section does not name, b(6:10,3) or b(1,5), get the other side's values, too. That of
#   the array's last columns reaches behind its end by the rows that it skips. A section of
#   whole columns is right.
# Output seen: "bytes of 64: 160; of whole columns, 160: 160".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "changed: $*" >&2; exit 1; }
command -v gfortran-12 >/dev/null || { echo "needs gfortran-12: apt-get install gfortran-12" >&2; exit 1; }
case $(gfortran-12 -dumpfullversion) in
12.2.*) ;;
*) echo "needs gfortran 12.2, this is $(gfortran-12 -dumpfullversion)" >&2; exit 1 ;;
esac
cd "$folder"
cat >part.f90 <<'F'
subroutine part(b)
  real(8) :: b(10,10)
  !$acc update self(b(2:5,3:4))
end subroutine
subroutine columns(b)
  real(8) :: b(10,10)
  !$acc update self(b(:,3:4))
end subroutine
F
gfortran-12 -fopenacc -foffload=disable -O2 -fdump-tree-optimized=made -S -o /dev/null part.f90
mapfile -t sizes < <(sed -n 's/^ *\.omp_data_sizes[.0-9]*\[0\] = \([0-9]*\);.*/\1/p' made)
echo "bytes of 64: ${sizes[0]:-none}; of whole columns, 160: ${sizes[1]:-none}"
[ "${sizes[*]}" = "160 160" ] || fail "want calls of 160 and 160 bytes"
