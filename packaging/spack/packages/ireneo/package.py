# spack repo add packaging/spack && spack install ireneo
import os

from spack.package import *


class Ireneo(CMakePackage):
    """How many facts a neural memory holds, storing them, and proving it: linear associative memories, dense
    associative memories, transformers at initialisation. A program and a C library."""

    # The clone that this file lies in.
    git = "file://" + os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("mpi", default=False, description="Spread work over MPI ranks")
    variant("figures", default=True, description="Draw figures with gnuplot")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("random123", type="build")
    depends_on("blas")
    depends_on("lapack")
    depends_on("netlib-lapack+lapacke", when="^[virtuals=lapack] netlib-lapack")
    depends_on("cjson")
    depends_on("gmp")
    depends_on("libb2")
    depends_on("libedit")
    depends_on("libzip")
    depends_on("sqlite@3.24:")
    depends_on("mpi", when="+mpi")
    depends_on("gnuplot", type="run", when="+figures")

    conflicts("platform=darwin", msg="the program asks Linux for memory, cores and signals")
    conflicts("platform=windows")

    def cmake_args(self):
        vendors = {"openblas": "OpenBLAS", "blis": "FLAME", "amdblis": "AOCL_mt", "intel-oneapi-mkl": "Intel10_64lp"}
        return [
            self.define("IRENEO_TESTS", False),
            self.define("IRENEO_BENCH", False),
            self.define_from_variant("IRENEO_MPI", "mpi"),
            self.define("BLA_VENDOR", vendors.get(self.spec["blas"].name, "Generic")),
            self.define("CMAKE_C_FLAGS", "-I" + self.spec["random123"].prefix.include),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def try_program(self):
        program = Executable(self.prefix.bin.ireneo)
        program("--version", "--json")
        program("capacity", "--dim", "768")
