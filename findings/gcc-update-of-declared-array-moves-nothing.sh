#!/usr/bin/env bash
# Software: GCC 12.2.0's OpenACC (Debian's gcc-12).
# Belief: "update device(table)" copies a file-scope array of "declare copyin" to the
#   device's copy, as OpenACC 3.3 §2.13.1 and §2.14.4 have it.
# Behaviour: the directive reaches the compiler's middle whole, and the call that is made of
#   it names no data: a program that changes such an array on the host and updates it
#   computes with the old values on a GPU, without a word. An array of a data directive is
#   named. acc_update_device (table, sizeof table) works.
# Output seen: "written: 2 updates; data in the calls: declared 0, mapped 1".
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
cat >update.c <<'C'
int declared[4] = { 1, 2, 3, 4 };
int mapped[4] = { 1, 2, 3, 4 };
#pragma acc declare copyin (declared)

void
change (void)
{
  declared[0] = mapped[0] = 100;
#pragma acc update device (declared)
#pragma acc update device (mapped)
}
C
gcc-12 -fopenacc -foffload=disable -O0 -fdump-tree-original=written -fdump-tree-optimized=made -S -o /dev/null update.c
written=$(grep -c 'pragma acc update' written)
# GOACC_update (device, how many, ...): in the order of the directives.
mapfile -t counts < <(sed -n 's/.*GOACC_update (-1, \([0-9]*\),.*/\1/p' made)
echo "written: $written updates; data in the calls: declared ${counts[0]:-none}, mapped ${counts[1]:-none}"
[ "$written" = 2 ] && [ "${counts[*]}" = "0 1" ] || fail "want 2 updates, of 0 and 1 data"
