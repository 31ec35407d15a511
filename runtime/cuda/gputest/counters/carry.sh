#!/usr/bin/env bash
# Gathers what measure.sh needs on a machine with a GPU and NVIDIA's ncu: the programs, compiled
# for NVIDIA GPUs, and the libraries that they load. Usage: carry.sh FOLDER
set -euo pipefail
here=$(realpath "$(dirname "$0")")
carry=$(realpath -m "$1")
. "$here/../toolchain.sh"
mkdir -p "$carry/lib"
gcc-12 "${offload[@]}" -g -o "$carry/patterns" "$here/patterns.c"
gfortran-12 "${offload[@]}" -g -o "$carry/patterns-fortran" "$here/patterns.f90"
for library in libgomp.so.1 libgfortran.so.5 libquadmath.so.0 libgcc_s.so.1; do
  cp -L "$(gcc-12 -print-file-name=$library)" "$carry/lib/" 2>/dev/null || cp -L "/usr/lib/x86_64-linux-gnu/$library" "$carry/lib/"
done
cp -L "$plugin" "$carry/lib/"
cp "$here/measure.sh" "$here/table.py" "$carry/"
du -sh "$carry"
