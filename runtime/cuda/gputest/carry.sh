#!/usr/bin/env bash
# Gathers what run.sh needs on a machine with a GPU and without Go, GCC or a
# network: our libraries and commands, the examples and benchmarks compiled for
# NVIDIA GPUs, GCC's libraries, and with SUITE GCC's tests (tests.sh).
# Usage: carry.sh CARRY [SUITE], after `make`. GCC's compiler for GPUs is unpacked
# under .build (toolchain.sh). What other versions of GCC compile, others.sh adds.
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
"$here/programs.sh" "$carry" "$root/lib/libopenacc.so"
gcc-12 "${offload[@]}" -o "$carry/programs/loop" "$root/collector/bench/program/loop.c"
(cd "$root" && CGO_ENABLED=0 "$(.ci/setup go)" build -trimpath -buildmode=exe -o "$carry/bin/bench" ./collector/bench)
gcc-12 "${offload[@]}" -o "$carry/programs/devices" "$here/devices.c" -lpthread
gcc-12 "${offload[@]}" -o "$carry/launches" "$here/launches.c"
gcc-12 "${offload[@]}" -o "$carry/timing" "$here/timing.c" "$here/../driver.c" -ldl
for program in bare measure; do
  gcc-12 -O2 -o "$carry/$program" "$here/$program.c" "$here/../driver.c" -ldl
done
# The error table (runtime/errortable), with the cases that a GPU can have.
include=$root/runtime/include
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
cp "$here/run.sh" "$carry/"
if [ $# -gt 1 ]; then "$here/tests.sh" "$2" "$carry"; fi
du -sh "$carry"
