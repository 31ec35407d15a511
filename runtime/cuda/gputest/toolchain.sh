# Sourced: GCC's compiler for NVIDIA GPUs in the array "offload". It is unpacked
# privately, because once it is installed every program that GCC links carries
# code for GPUs.
# shellcheck shell=bash
toolchain=$(realpath -m "$(dirname "${BASH_SOURCE[0]}")/../../../.build/nvptx")
prefix=$toolchain/usr/lib/gcc/x86_64-linux-gnu/12/
if [ ! -x "$prefix/accel/nvptx-none/mkoffload" ]; then
  mkdir -p "$toolchain/packages"
  (cd "$toolchain/packages" && apt-get download gcc-12-offload-nvptx nvptx-tools libgomp-plugin-nvptx1 >/dev/null 2>&1) || {
    echo "gcc-12-offload-nvptx, nvptx-tools and libgomp-plugin-nvptx1 cannot be downloaded: check apt's sources" >&2
    exit 1
  }
  for package in "$toolchain"/packages/*.deb; do dpkg -x "$package" "$toolchain"; done
fi
export PATH=$toolchain/usr/bin:$PATH
plugin=$toolchain/usr/lib/x86_64-linux-gnu/libgomp-plugin-nvptx.so.1
# The programs are linked for the driver to compile, from its oldest version for
# such a GPU on.
offload=("-B$prefix" "-B$toolchain/usr/bin/" -fopenacc -O2 -foffload=nvptx-none
  "-foffload-options=nvptx-none=-misa=sm_80 -lgfortran -lm")
