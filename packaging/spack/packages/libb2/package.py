from spack.package import *


class Libb2(AutotoolsPackage):
    """C library with the hash functions BLAKE2b, BLAKE2s, BLAKE2bp and BLAKE2sp."""

    homepage = "https://blake2.net"
    git = "https://github.com/BLAKE2/libb2.git"

    license("CC0-1.0")

    version("0.98.1", tag="v0.98.1")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")

    def configure_args(self):
        return ["--disable-native", "--enable-fat"]
