#!/usr/bin/env bash
# Software: GCC 12.2.0's C++ compiler (Debian's g++-12).
# Belief: in a member function, copy(v[0:n]) on a compute construct is all that a loop over v
#   needs: the data are mapped and the member's pointer is attached to them, as of any pointer.
# Behaviour: the data are mapped, and an attach is asked for, but the object that has the pointer
#   is not: it goes as a section of length 0, which only finds an object that is there already.
#   The kernel reads this->n and this->v where the host's this points to: a GPU has nothing there.
#   No warning says so. With this[0:1] in a clause of the construct the object is mapped.
# Output seen: "copy(v[0:n]): this alloc length 0, data tofrom, attach 1, kernel reads this->v;
#   with this[0:1]: this to length 16; warnings: 0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "changed: $*" >&2; exit 1; }
command -v g++-12 >/dev/null || { echo "needs g++-12: apt-get install g++-12" >&2; exit 1; }
case $(g++-12 -dumpfullversion) in
12.2.*) ;;
*) echo "needs GCC 12.2, this is $(g++-12 -dumpfullversion)" >&2; exit 1 ;;
esac
cd "$folder"
export LC_ALL=C
cat >field.cc <<'C'
struct field {
  double *v;
  int n;
  void alone();
  void whole();
};
void field::alone()
{
#pragma acc parallel loop copy(v[0:n])
  for (int i = 0; i < n; i++) v[i] += 1;
}
void field::whole()
{
#pragma acc parallel loop copyin(this[0:1]) copy(v[0:n])
  for (int i = 0; i < n; i++) v[i] += 1;
}
C
g++-12 -fopenacc -foffload=disable -O1 -Wall -Wextra -fdump-tree-omplower -c field.cc 2>told
constructs() { grep -h "omp target oacc_parallel" field.cc.*.omplower; }
alone=$(constructs | sed -n 1p) whole=$(constructs | sed -n 2p)
of() { sed -nE "s/.*$2.*/\\1/p" <<<"$1"; }
seen="copy(v[0:n]): this $(of "$alone" 'map\((\w+):MEM\[\(char \*\)this\] \[len: 0\]\)') length 0, data $(of "$alone" 'map\((\w+):\*_[0-9]+ \[len: _[0-9]+\]\)'), attach $(grep -c 'map(attach:this->v' <<<"$alone"), kernel reads $(sed -n '/omp target oacc_parallel/,/omp return/p' field.cc.*.omplower | sed 1d | grep -m1 -o 'this->v$\|this->v;' | tr -d ';'); with this[0:1]: this $(of "$whole" 'map\((\w+):\*this \[len: 16\]\)') length 16; warnings: $(wc -l <told)"
echo "$seen"
[ "$seen" = "copy(v[0:n]): this alloc length 0, data tofrom, attach 1, kernel reads this->v; with this[0:1]: this to length 16; warnings: 0" ] || fail "$seen"
