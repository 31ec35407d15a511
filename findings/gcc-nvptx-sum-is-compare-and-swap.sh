#!/usr/bin/env bash
# Software: GCC 12.2.0's OpenACC compiler for NVIDIA GPUs (Debian's gcc-12-offload-nvptx
#   12.2.0-14, nvptx-tools 0.20220610-1, with the machine's gcc-12).
# Belief: a reduction(+:s) of doubles over gangs ends in the GPU's own atomic addition,
#   which all since sm_60 have for f64, when it is compiled for such a GPU.
# Behaviour: for sm_80, too, it is a loop of compare-and-swap on the sum, whose every round
#   but one fails while other gangs add. 4,224 gangs of an H200 take 12.8 ms for the dot
#   product of 2^25 doubles; with red.add.f64 in the loop's place, 0.13 ms.
# Output seen: "compare-and-swap loops: 1, atomic additions of f64: 0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "changed: $*" >&2; exit 1; }
command -v gcc-12 >/dev/null || { echo "needs gcc-12: apt-get install gcc-12" >&2; exit 1; }
cd "$folder"
apt-get download gcc-12-offload-nvptx=12.2.0-14+deb12u1 nvptx-tools=0.20220610-1 >/dev/null 2>&1 ||
  apt-get download gcc-12-offload-nvptx=12.2.0-14 nvptx-tools=0.20220610-1 >/dev/null 2>&1 ||
  { echo "the packages cannot be downloaded: run apt-get update, on Debian 12" >&2; exit 1; }
for package in ./*.deb; do dpkg -x "$package" .; done
cat >sum.c <<'C'
int
main (void)
{
  static double a[1 << 20];
  double s = 0;
#pragma acc parallel loop gang vector reduction(+:s) copyin(a)
  for (int i = 0; i < 1 << 20; i++)
    s += a[i];
  return s != 0;
}
C
PATH=$folder/usr/bin:$PATH gcc-12 -B"$folder/usr/lib/gcc/x86_64-linux-gnu/12/" -B"$folder/usr/bin/" -fopenacc -O2 \
  -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80 -o sum sum.c 2>/dev/null
text=$(strings -n 4 sum)
grep -q '\.target.*sm_80' <<<"$text" || fail "the program has no code for sm_80"
loops=$(grep -c 'atom\.cas\.b64' <<<"$text" || true)
additions=$(grep -cE '(atom|red)\.(global\.)?add\.f64' <<<"$text" || true)
echo "compare-and-swap loops: $loops, atomic additions of f64: $additions"
[ "$loops" = 1 ] && [ "$additions" = 0 ] || fail "want 1 and 0"
