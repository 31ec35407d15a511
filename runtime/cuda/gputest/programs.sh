#!/usr/bin/env bash
# Compiles the examples, waitany.c and the programs of the event matrix by GCC $GCC (default 12)
# for NVIDIA GPUs into CARRY, CARRY/programs and CARRY/matrix.
# Usage: programs.sh CARRY LIBOPENACC
set -euo pipefail
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../../..")
carry=$(realpath -m "$1")
runtime=$(realpath "$2")
. "$here/toolchain.sh"
offload+=(-g)
mkdir -p "$carry"/{programs,matrix}
cc=gcc-$GCC cxx=g++-$GCC fc=gfortran-$GCC
examples=$root/examples
for program in jacobi pipeline saxpy; do
  $cc "${offload[@]}" -o "$carry/programs/$program" "$examples/$program/$program.c" -lm
done
$cxx "${offload[@]}" -o "$carry/programs/particles" "$examples/particles/particles.cpp" -lm
$fc "${offload[@]}" -J "$carry/programs" -o "$carry/programs/stencil" "$examples/stencil/stencil.f90"
rm "$carry/programs/plate.mod"
make -s -C "$examples/shallow-water" BUILD="$carry/programs" CXX="$cxx" FC="$fc" CXXFLAGS=-g FCFLAGS=-g \
  OPENACC="$(printf '%q ' "${offload[@]}")"
rm -rf "$carry/programs/shallow-water-fortran-modules" # not there where make has found the programs new enough
$cc "${offload[@]}" -o "$carry/programs/device" "$here/device.c"
$cc "${offload[@]}" -o "$carry/reductions" "$here/reductions.c"
$cc "${offload[@]}" -I"$root/runtime/include" -o "$carry/waitany" "$here/waitany.c" "$runtime" -ldl -lpthread
# The programs of the event matrix (runtime/eventmatrix).
matrix=$root/runtime/eventmatrix/testdata
include=$root/runtime/include
$cc -O1 -shared -fPIC -Wl,-soname,recorder.so -I"$include" -o "$carry/matrix/recorder.so" "$matrix/recorder.c"
linked=("$carry/matrix/recorder.so" "$runtime" "-Wl,-rpath,\$ORIGIN")
for program in directives routines; do
  $cc "${offload[@]}" -O0 -I"$include" -o "$carry/matrix/$program.c" "$matrix/$program.c" "${linked[@]}"
done
$fc "${offload[@]}" -O0 -J "$carry/matrix" -o "$carry/matrix/directives.f90" \
  "$matrix"/{recording,directives}.f90 "${linked[@]}"
$fc "${offload[@]}" -O0 -J "$carry/matrix" -o "$carry/matrix/routines.f90" \
  "$include"/openacc_{kinds,data,attach}.f90 "$include/openacc.f90" "$matrix"/{recording,routines}.f90 "${linked[@]}"
rm -f "$carry"/matrix/*.mod
