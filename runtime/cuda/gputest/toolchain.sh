# Sourced: the compilers and libraries of GCC $GCC (default 12) for NVIDIA GPUs: the
# array "offload" has the flags, "plugin" the plugin of GCC's own runtime. GCC 12's
# compiler for GPUs is unpacked privately, because once it is installed every program
# that GCC links carries code for GPUs; the others' is installed, in a root folder.
# shellcheck shell=bash
GCC=${GCC:-12}
offload=()
if [ "$GCC" = 12 ]; then
  toolchain=$(realpath -m "$(dirname "${BASH_SOURCE[0]}")/../../../.build/nvptx")
  prefix=$toolchain/usr/lib/gcc/x86_64-linux-gnu/12/
  mkdir -p "$toolchain/packages"
  exec {unpacking}>"$toolchain/lock" # tests source this beside each other
  flock "$unpacking"
  if [ ! -x "$prefix/accel/nvptx-none/mkoffload" ]; then
    (cd "$toolchain/packages" && apt-get download gcc-12-offload-nvptx nvptx-tools libgomp-plugin-nvptx1 >/dev/null 2>&1) || {
      echo "gcc-12-offload-nvptx, nvptx-tools and libgomp-plugin-nvptx1 cannot be downloaded: check apt's sources" >&2
      exit 1
    }
    for package in "$toolchain"/packages/*.deb; do dpkg -x "$package" "$toolchain"; done
  fi
  exec {unpacking}>&-
  export PATH=$toolchain/usr/bin:$PATH
  plugin=$toolchain/usr/lib/x86_64-linux-gnu/libgomp-plugin-nvptx.so.1
  offload=("-B$prefix" "-B$toolchain/usr/bin/")
else
  plugin=/usr/lib/x86_64-linux-gnu/libgomp-plugin-nvptx.so.1
  # The programs run with the libraries of their release, the C library among them,
  # which may be newer than that of the machine with the GPU: by a path that run.sh
  # makes there.
  offload=("-Wl,--dynamic-linker=/tmp/accscope-gcc-$GCC/ld-linux-x86-64.so.2"
    "-Wl,--disable-new-dtags,-rpath,/tmp/accscope-gcc-$GCC")
fi
# The programs are linked for the driver to compile, from its oldest version for
# such a GPU on.
offload+=(-fopenacc -O2 -foffload=nvptx-none
  "-foffload-options=nvptx-none=-misa=sm_80 -lgfortran -lm")
