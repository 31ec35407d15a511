#!/usr/bin/env bash
# Gathers what run.sh needs on a machine with a GPU and without Go, GCC or a
# network: our libraries and commands, the examples and benchmarks compiled for
# NVIDIA GPUs, GCC's libraries, and with SUITE GCC's tests (tests.sh).
# Usage: carry.sh CARRY [SUITE], after `make`. GCC's compiler for GPUs is unpacked
# under .build (toolchain.sh).
set -euo pipefail
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../../..")
carry=$(realpath -m "$1")
if [ $# -gt 1 ] && [ ! -d "$2/libgomp/testsuite" ]; then
  echo "GCC's tests are not in $2: run make conformance first" >&2
  exit 1
fi
. "$here/toolchain.sh"
mkdir -p "$carry"/{lib,bin,programs,gcc}
cp "$root"/lib/{libopenacc.so,libopenacc-engine.so,libaccprof.so} "$carry/lib/"
cp "$root/bin/accscope" "$carry/bin/"
strip -o "$carry/bin/accscope" "$root/bin/accscope"
for library in libgomp.so.1 libgfortran.so.5 libquadmath.so.0 libstdc++.so.6 libgcc_s.so.1; do
  cp -L "$(gcc-12 -print-file-name=$library)" "$carry/gcc/" 2>/dev/null ||
    cp -L "/usr/lib/x86_64-linux-gnu/$library" "$carry/gcc/"
done
cp -L "$plugin" "$carry/gcc/"
offload+=(-g)
examples=$root/examples
gcc-12 "${offload[@]}" -o "$carry/programs/jacobi" "$examples/jacobi/jacobi.c" -lm
gcc-12 "${offload[@]}" -o "$carry/programs/pipeline" "$examples/pipeline/pipeline.c" -lm
gcc-12 "${offload[@]}" -o "$carry/programs/saxpy" "$examples/saxpy/saxpy.c" -lm
g++-12 "${offload[@]}" -o "$carry/programs/particles" "$examples/particles/particles.cpp" -lm
gfortran-12 "${offload[@]}" -J "$carry/programs" -o "$carry/programs/stencil" "$examples/stencil/stencil.f90"
rm "$carry/programs/plate.mod"
make -s -C "$examples/shallow-water" BUILD="$carry/programs" CXX=g++-12 FC=gfortran-12 CXXFLAGS=-g FCFLAGS=-g \
  OPENACC="$(printf '%q ' "${offload[@]}")"
rm -r "$carry/programs/shallow-water-fortran-modules"
gcc-12 "${offload[@]}" -o "$carry/programs/loop" "$root/collector/bench/program/loop.c"
(cd "$root" && CGO_ENABLED=0 "$(.ci/setup go)" build -trimpath -o "$carry/bin/bench" ./collector/bench)
gcc-12 "${offload[@]}" -o "$carry/programs/device" "$here/device.c"
gcc-12 "${offload[@]}" -o "$carry/programs/devices" "$here/devices.c" -lpthread
gcc-12 "${offload[@]}" -o "$carry/launches" "$here/launches.c"
gcc-12 "${offload[@]}" -o "$carry/timing" "$here/timing.c" "$here/../driver.c" -ldl
for program in bare measure; do
  gcc-12 -O2 -o "$carry/$program" "$here/$program.c" "$here/../driver.c" -ldl
done
# The programs of the event matrix (runtime/eventmatrix).
matrix=$root/runtime/eventmatrix/testdata
include=$root/runtime/include
mkdir -p "$carry/matrix"
gcc-12 -O1 -shared -fPIC -Wl,-soname,recorder.so -I"$include" -o "$carry/matrix/recorder.so" "$matrix/recorder.c"
linked=("$carry/matrix/recorder.so" "$root/lib/libopenacc.so" "-Wl,-rpath,\$ORIGIN")
for program in directives routines; do
  gcc-12 "${offload[@]}" -O0 -I"$include" -o "$carry/matrix/$program.c" "$matrix/$program.c" "${linked[@]}"
done
gfortran-12 "${offload[@]}" -O0 -J "$carry/matrix" -o "$carry/matrix/directives.f90" \
  "$matrix"/{recording,directives}.f90 "${linked[@]}"
gfortran-12 "${offload[@]}" -O0 -J "$carry/matrix" -o "$carry/matrix/routines.f90" \
  "$include"/openacc_{kinds,data,attach}.f90 "$include/openacc.f90" "$matrix"/{recording,routines}.f90 "${linked[@]}"
rm -f "$carry"/matrix/*.mod
# The error table (runtime/errortable), with the cases that a GPU can have.
mkdir -p "$carry/errors"
(cd "$root" && CGO_ENABLED=0 ACCSCOPE_GPU_PROGRAMS=$carry/errors "$(.ci/setup go)" test -count=1 -run TestWriteForGPU ./runtime/errortable)
(
  cd "$carry/errors"
  gcc-12 "${offload[@]}" -O0 -w -I"$include" -o errors-c errors-c.c "$root/lib/libopenacc.so"
  gcc-12 -w -I"$include" -c errors-handler.c
  gfortran-12 "${offload[@]}" -O0 -w "$include"/openacc_{kinds,data,attach}.f90 "$include/openacc.f90" errors-fortran.f90 errors-handler.o \
    -o errors-fortran "$root/lib/libopenacc.so"
  rm -f ./*.mod ./*.o
)
gcc-12 "${offload[@]}" -I"$include" -o "$carry/waitany" "$here/waitany.c" "$root/lib/libopenacc.so" -ldl -lpthread
cp "$here/run.sh" "$carry/"
if [ $# -gt 1 ]; then "$here/tests.sh" "$2" "$carry"; fi
du -sh "$carry"
