# Copyright accscope maintainers
#
# SPDX-License-Identifier: Apache-2.0

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Accscope(MakefilePackage):
    """An OpenACC runtime and profiler: runs and profiles programs compiled by gcc
    -fopenacc on NVIDIA GPUs, the host and a simulated accelerator."""

    homepage = "https://github.com/accscope/accscope"
    git = "https://github.com/accscope/accscope.git"

    license("Apache-2.0")

    version("main", branch="main")

    variant("openmpi", default=False, description="Record the calls of Open MPI")
    variant("mpich", default=False, description="Record the calls of MPICH")

    # Its programs are GCC's, and so is the interface that it implements.
    requires("%gcc@12:", msg="the runtime implements the interface of GCC 12 and later")
    requires("target=x86_64:", msg="the runtime implements GCC's interface on x86-64")
    requires("platform=linux")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("go@1.26:", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("openmpi", when="+openmpi")
    depends_on("mpich", when="+mpich")

    def setup_build_environment(self, env):
        # Go brings modules by its proxy, checked against go.sum; they are kept in the stage.
        env.set("GOMODCACHE", join_path(self.stage.path, "go-modules"))
        env.set("GOCACHE", join_path(self.stage.path, "go-cache"))
        env.append_flags("GOFLAGS", "-modcacherw")

    def build(self, spec, prefix):
        # What is missing is Spack's to bring.
        make("SETUP=no")

    def install(self, spec, prefix):
        make("SETUP=no", "install", f"PREFIX={prefix}")

    def setup_run_environment(self, env):
        env.set("ACCSCOPE_LIBRARY_PATH", self.prefix.lib)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def try_it(self):
        Executable(self.prefix.bin.accscope)("version")
