"""What pip would install: wheels, source distributions, and the reader of ELF files that decides a wheel's tag; the type hints.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/distribution.py"""

import base64
import ctypes
import hashlib
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

import ireneo

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import wheel_builder  # noqa: E402
from wheel_builder import elf, native  # noqa: E402

LIBRARY = os.environ["IRENEO_LIBRARY"]


class WheelTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def test_wheel_stands_alone(self):
        """What pip would unpack works without the source tree, and its record of contents is right."""
        wheel = self.folder / wheel_builder.build_wheel(self.folder)
        self.assertEqual(wheel.name, f"ireneo-{ireneo.__version__}-py3-none-{native.local_platform()}.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.folder / "site")
        info = self.folder / "site" / f"ireneo-{ireneo.__version__}.dist-info"
        record = (info / "RECORD").read_text().split("\n")[:-1]
        for line in record[:-1]:
            name, digest, length = line.split(",")
            content = (self.folder / "site" / name).read_bytes()
            encoded = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            self.assertEqual((digest, int(length)), ("sha256=" + encoded, len(content)))
        self.assertGreater(len(record), 12)
        self.assertEqual((info / "licenses" / "LICENSE").read_bytes(), (ROOT / "LICENSE").read_bytes())
        self.assertIn("Requires-Dist: numpy", (info / "METADATA").read_text())
        surroundings = {k: v for k, v in os.environ.items() if k not in ("IRENEO_LIBRARY", "PYTHONPATH")}
        surroundings["PYTHONPATH"] = str(self.folder / "site")
        program = "import ireneo; print(ireneo.library_path, round(ireneo.capacity(100).facts_capacity))"
        command = [sys.executable, "-c", program]
        said = subprocess.run(command, env=surroundings, cwd="/", check=True, capture_output=True, text=True).stdout
        self.assertEqual(said, f"{self.folder}/site/ireneo/libireneo.so 1208\n")

    def test_metadata_first(self):
        name = wheel_builder.prepare_metadata_for_build_wheel(self.folder)
        wheel = wheel_builder.build_wheel(self.folder, {"library": "system"})
        with zipfile.ZipFile(self.folder / wheel) as archive:
            self.assertEqual(archive.read(f"{name}/METADATA"), (self.folder / name / "METADATA").read_bytes())

    def test_without_the_library(self):
        """As packages of a distribution want it."""
        name = wheel_builder.build_wheel(self.folder, {"library": "system"})
        self.assertEqual(name, f"ireneo-{ireneo.__version__}-py3-none-any.whl")
        with zipfile.ZipFile(self.folder / name) as archive:
            self.assertFalse([n for n in archive.namelist() if ".so" in n])
        self.assertRaisesRegex(SystemExit, "one of build, bundle, system", wheel_builder.build_wheel, self.folder, {"library": "no"})

    def test_sources(self):
        """The sources hold every C file of the library, and are the same whoever packs them."""
        name = wheel_builder.build_sdist(self.folder)
        first = (self.folder / name).read_bytes()
        self.assertEqual(wheel_builder.build_sdist(self.folder), name)
        self.assertEqual((self.folder / name).read_bytes(), first)
        with tarfile.open(self.folder / name) as archive:
            names = {n.partition("/")[2] for n in archive.getnames()}
        rooms = ("base", "linear", "dense", "attention")
        for path in [p for room in rooms for p in (ROOT / "src" / room).rglob("*.[ch]")] + list((ROOT / "include").rglob("*.h")):
            self.assertIn("source/" + path.relative_to(ROOT).as_posix(), names)
        for path in (ROOT / "python").rglob("*.py"):
            self.assertIn(path.relative_to(ROOT / "python").as_posix(), names)
        for name in ("PKG-INFO", "pyproject.toml", "source/LICENSE", "source/CMakeLists.txt"):
            self.assertIn(name, names)

    def test_packages_are_those_of_setup(self):
        build = re.search(r"build\) echo (.*?);;", (ROOT / "scripts" / "setup").read_text(), re.S).group(1)
        self.assertEqual(set(native.PACKAGES.split()) - set(build.split()), set())


@unittest.skipUnless(sys.platform == "linux" and shutil.which("objdump"), "ELF files, and binutils to compare with")
class TagTest(unittest.TestCase):
    def compile(self, text, *flags):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        source, library = Path(holder.name, "a.c"), Path(holder.name, "liba.so")
        source.write_text(text)
        compiler = os.environ.get("CC", "gcc").split()
        subprocess.run([*compiler, "-shared", "-fPIC", str(source), "-o", str(library), *flags], check=True)
        return library

    def test_parts_of_the_wheel(self):
        """What stands in for functions of other libraries: Fortran's concatenation, and an older hypot."""
        concatenate = ctypes.CDLL(str(self.compile((ROOT / "python/native/concatenate.c").read_text())))._gfortran_concat_string
        concatenate.argtypes = [ctypes.c_size_t, ctypes.c_char_p] * 3
        dice = random.Random(1)
        for _ in range(500):
            length, one, two = dice.randrange(9), b"abcdef"[: dice.randrange(7)], b"ghijkl"[: dice.randrange(7)]
            result = ctypes.create_string_buffer(b"?" * 12, 12)
            concatenate(length, ctypes.cast(result, ctypes.c_char_p), len(one), one, len(two), two)
            self.assertEqual(result.raw, (one + two).ljust(length)[:length] + b"?" * (12 - length))
        if os.uname().machine == "x86_64":
            hypot = ctypes.CDLL(str(self.compile((ROOT / "python/native/hypot.c").read_text(), "-lm"))).__getattr__("__wrap_hypot")
            hypot.restype, hypot.argtypes = ctypes.c_double, [ctypes.c_double] * 2
            for x, y in ((3.0, 4.0), (1e300, 1e300), (1e-320, 0.0), (math.inf, math.nan)):
                self.assertTrue(math.isclose(hypot(x, y), math.hypot(x, y), rel_tol=1e-15))

    def test_against_objdump(self):
        for path in (LIBRARY, sys.executable, self.compile("int f(void) { return 1; }", "-Wl,-soname,libother.so", "-nostdlib")):
            said = subprocess.run(["objdump", "-p", path], check=True, capture_output=True, text=True).stdout
            library = elf.read(path)
            self.assertEqual(library.needed, re.findall(r"NEEDED +(\S+)", said))
            self.assertEqual([library.soname] if library.soname else [], re.findall(r"SONAME +(\S+)", said))
            wanted, current = {}, None
            for line in said.partition("Version References:")[2].split("\n"):
                start, entry = re.match(r"  required from (\S+):", line), re.match(r"    0x\w+ 0x\w+ \d+ (\S+)", line)
                current = wanted.setdefault(start.group(1), set()) if start else current
                if entry:
                    current.add(entry.group(1))
            self.assertEqual(library.versions, wanted)

    def test_tags(self):
        plain = self.compile("int f(void) { return 1; }")
        self.assertRegex(elf.platform_tag([plain]), r"^manylinux_2_17_(x86_64|aarch64)$")
        newer = self.compile("int f(void) { return 1; }")
        real, elf.read = elf.read, lambda path: real(path)._replace(versions={"libc.so.6": {"GLIBC_2.2.5", "GLIBC_2.36"}})
        try:
            self.assertRegex(elf.platform_tag([newer]), r"^manylinux_2_36_")
        finally:
            elf.read = real

    def test_refusals(self):
        cases = [
            ([LIBRARY], "needs .*libopenblas"),
            ([self.compile("int f(void) { return 1; }", "-Wl,-z,execstack")], "stack that is executable"),
        ]
        for paths, sentence in cases:
            self.assertRaisesRegex(SystemExit, sentence, elf.platform_tag, paths)
        plain = self.compile("int f(void) { return 1; }")
        for change, sentence in (
            ({"versions": {"libgcc_s.so.1": {"GCC_12.0.0"}}}, "GCC_12.0.0"),
            ({"versions": {"libc.so.6": {"GLIBC_PRIVATE"}}}, "GLIBC_PRIVATE"),
            ({"versions": {"libc.so.6": {"GLIBC_ABI_DT_RELR"}}}, "DT_RELR"),
            ({"text_relocations": True}, "rewritten"),
            ({"machine": "machine 3"}, "are for machine 3"),
        ):
            real, elf.read = elf.read, lambda path: real(path)._replace(**change)
            try:
                self.assertRaisesRegex(SystemExit, sentence, elf.platform_tag, [plain])
            finally:
                elf.read = real
        self.assertRaises(ValueError, elf.read, __file__)


#: What a user writes, and what mypy finds in it.
USER = """
import ireneo
memory, info = ireneo.store([[1.0, 2.0]], [[1.0, 2.0]], progress=True, threads=1)
recalled: int = info.recalled
answers = memory.recall([1.0, 2.0], [[1.0, 2.0]])
good: float = float(answers.scores[0]) + ireneo.dense.phases(1.0).alpha_1
wrong: str = info.margin
ireneo.attention.layer(beta=1.0, contxt=3)
"""


class TypesTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    def test_strict(self):
        """The package is clean, and a user's mistakes are found through it."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "user.py").write_text(USER)
            run = subprocess.run(
                ["mypy", "--strict", "--cache-dir", os.environ.get("MYPY_CACHE_DIR", folder), "ireneo", f"{folder}/user.py"],
                cwd=ROOT / "python", capture_output=True, text=True,
                env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
            )  # fmt: skip
        found = [line for line in run.stdout.split("\n") if "error:" in line]
        self.assertEqual([line for line in found if "user.py" not in line], [], run.stderr)
        self.assertRegex("\n".join(found), r'(?s)^\S*user.py:7: error: Incompatible types .*"float".*\S*user.py:8: error: .*"contxt"')
        self.assertEqual(len(found), 2, run.stdout)


if __name__ == "__main__":
    unittest.main()
