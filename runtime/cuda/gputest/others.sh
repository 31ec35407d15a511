#!/usr/bin/env bash
# Compiles the examples, the programs of the event matrix and the sample of GCC's own
# tests by other versions of GCC for NVIDIA GPUs, in the root folders that .ci/roots has
# made, into CARRY/gcc-N. Versions whose root folder is not there are left out by name.
# Usage: others.sh CARRY [VERSION...]. Inside a root folder: others.sh --compile VERSION
set -euo pipefail
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../../..")
cd "$root"

# compile VERSION: into .build/gpu/gcc-VERSION of the copy in a root folder.
compile() {
  local folder=.build/gpu/gcc-$1 archive suite library
  export GCC=$1 DEBIAN_FRONTEND=noninteractive
  apt-get -qq install -y --no-install-recommends make xz-utils libc6-dev "gcc-$1" "g++-$1" "gfortran-$1" "gcc-$1-offload-nvptx" "gcc-$1-source" >/dev/null
  rm -rf "$folder"
  mkdir -p "$folder/gcc"
  gcc-"$1" -dumpfullversion >"$folder/version"
  for library in ld-linux-x86-64.so.2 libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 \
    libgomp.so.1 libgfortran.so.5 libquadmath.so.0 libstdc++.so.6 libgcc_s.so.1 libgomp-plugin-nvptx.so.1; do
    cp -L "$(find /usr/lib/x86_64-linux-gnu /usr/lib64 -maxdepth 1 -name $library | head -n 1)" "$folder/gcc/"
  done
  "$here/programs.sh" "$folder" .build/gpu/libopenacc.so
  archive=$(ls "/usr/src/gcc-$1/gcc-$1"*.tar.xz)
  suite=.build/gpu/suite-$1
  if [ ! -d "$suite" ]; then
    mkdir "$suite.partial"
    tar --extract --xz --file "$archive" --directory "$suite.partial" --strip-components=1 --wildcards '*/libgomp/testsuite'
    mv "$suite.partial" "$suite"
  fi
  "$here/tests.sh" "$suite" "$folder" runtime/conformance/sample.txt
}

if [ "$1" = --compile ]; then
  compile "$2"
  exit
fi
carry=$(realpath -m "$1")
shift
[ $# -gt 0 ] || set -- 13 14 15 16
for version in "$@"; do
  case $version in
  13 | 14) suite=trixie ;;
  *) suite=forky ;;
  esac
  folder=$(.ci/root --folder "$suite")
  if [ ! -d "$folder" ]; then
    echo "GCC $version is left out: there is no root folder of $suite; .ci/roots $version makes it"
    continue
  fi
  mkdir -p "$folder/.build/gpu"
  cp lib/libopenacc.so "$folder/.build/gpu/"
  .ci/root "$suite" runtime/cuda/gputest/others.sh --compile "$version"
  mkdir -p "$carry"
  rm -rf "$carry/gcc-$version"
  cp -a "$folder/.build/gpu/gcc-$version" "$carry/"
  ln -s ../lib ../bin "$carry/gcc-$version/"
done
