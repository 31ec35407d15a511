#!/usr/bin/env bash
# Gathers what measure.sh needs on a machine with a GPU: the programs of runs.txt, compiled for
# NVIDIA GPUs, our libraries and command (after `make`), and GCC's libraries. Usage: carry.sh FOLDER
set -euo pipefail
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../../../..")
carry=$(realpath -m "$1")
. "$here/../toolchain.sh"
offload+=(-g)
examples=$root/examples counted=$here/../counters
mkdir -p "$carry"/{lib,bin,gcc,programs}
for library in libopenacc.so libopenacc-engine.so libaccprof.so; do strip -o "$carry/lib/$library" "$root/lib/$library"; done
strip -o "$carry/bin/accscope" "$root/bin/accscope"
for library in libgomp.so.1 libgfortran.so.5 libquadmath.so.0 libstdc++.so.6 libgcc_s.so.1; do
  cp -L "$(gcc-12 -print-file-name=$library)" "$carry/gcc/" 2>/dev/null || cp -L "/usr/lib/x86_64-linux-gnu/$library" "$carry/gcc/"
done
cp -L "$plugin" "$carry/gcc/"
for source in "$here"/{probes,others}.c "$counted/patterns.c" "$examples"/{jacobi/jacobi,wave/wave,pipeline/pipeline,saxpy/saxpy}.c; do
  gcc-12 "${offload[@]}" -o "$carry/programs/$(basename "$source" .c)" "$source" -lm
done
g++-12 "${offload[@]}" -o "$carry/programs/particles" "$examples/particles/particles.cpp" -lm
gfortran-12 "${offload[@]}" -J "$carry/programs" -o "$carry/programs/stencil" "$examples/stencil/stencil.f90"
gfortran-12 "${offload[@]}" -o "$carry/programs/patterns-fortran" "$counted/patterns.f90"
make -s -C "$examples/shallow-water" BUILD="$carry/programs" CXX=g++-12 FC=gfortran-12 CXXFLAGS=-g FCFLAGS=-g OPENACC="$(printf '%q ' "${offload[@]}")"
rm -rf "$carry"/programs/*.mod "$carry/programs/shallow-water-fortran-modules"
cp "$here/runs.txt" "$here/measure.sh" "$carry/"
du -sh "$carry"
