#!/usr/bin/env bash
# Compiles what gpubench runs into FOLDER, by GCC $GCC (default 12) for NVIDIA GPUs, and the
# programs by hand where CUDA's compiler is.
# Usage: compile.sh FOLDER
set -euo pipefail
here=$(realpath "$(dirname "$0")")
tests=$here/../gputest
folder=$(realpath -m "$1")
mkdir -p "$folder/libraries"
# shellcheck source=../gputest/toolchain.sh
. "$tests/toolchain.sh"
for program in kernels many downloads peers; do
  "gcc-$GCC" "${offload[@]}" -O3 -o "$folder/$program" "$here/programs/$program.c" -ldl
done
"gcc-$GCC" "${offload[@]}" -o "$folder/launches" "$tests/launches.c"
make -s -C "$here/../../../examples/shallow-water" BUILD="$folder" CXX="g++-$GCC" FC="gfortran-$GCC" CXXFLAGS=-g FCFLAGS=-g \
  OPENACC="$(printf '%q ' "${offload[@]}")"
rm -rf "$folder"/*-modules
for library in libgomp.so.1 libgfortran.so.5 libquadmath.so.0 libstdc++.so.6 libgcc_s.so.1; do
  file=$("gcc-$GCC" -print-file-name=$library)
  [ -e "$file" ] || file=/usr/lib/x86_64-linux-gnu/$library
  cp -L "$file" "$folder/libraries/"
done
cp -L "$plugin" "$folder/libraries/"
cp "$here"/programs/*.cu "$here/programs/times.h" "$folder/" # for a machine that has CUDA's compiler
