"""The wheel and the source distribution, built and installed by pip into clean environments without a network.

Run by ctest (long); by hand: python3 tests/python/wheel_long.py [FOLDER with a wheel and a source distribution]"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GIVEN = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir() else None
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("IRENEO", "PYTHON"))}

#: NumPy and PyTorch before and after.
TOGETHER = ROOT / "tests" / "python" / "together.py"


def run(*command, **others):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=CLEAN, cwd="/", **others)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.holder.name)
        cls.dist = GIVEN or cls.folder
        if GIVEN is None:
            run(ROOT / "scripts" / "wheel", cls.dist)
        cls.wheel, = cls.dist.glob("ireneo-*.whl")
        cls.sources, = cls.dist.glob("ireneo-*.tar.gz")

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def environment(self, name):
        """A new environment that sees this system's NumPy and PyTorch; its Python."""
        venv.create(self.folder / name, with_pip=True, system_site_packages=True)
        return self.folder / name / "bin" / "python"

    def install(self, python, *what):
        run(python, "-m", "pip", "install", "--no-index", "--no-deps", "--force-reinstall", *what)
        return Path(run(python, "-c", "import ireneo; print(ireneo.library_path)").strip())

    def test_wheel(self):
        python = self.environment("wheel")
        library = self.install(python, self.wheel)
        self.assertTrue(library.is_relative_to(self.folder / "wheel"))
        for line in run("ldd", library).strip().split("\n"):  # nothing but the C library comes from the system
            name, _, place = line.strip().partition(" => ")
            own = place.startswith(str(library.parent / "libraries" / "libireneo_"))
            system = re.match(r"(/lib64/ld-linux|lib(c|m|dl|pthread|gcc_s)\.so|linux-vdso)", name)
            self.assertTrue(own or system, line)
        exported = run("nm", "-D", "--defined-only", library).split("\n")[:-1]  # nothing that another library could have
        self.assertEqual([line for line in exported if not re.search(r" (ireneo_\w+@@)?IRENEO_\d+$", line)], [])
        self.assertIn("5 of 5 are right", run(python, "-m", "ireneo.selftest"))
        archive = self.folder / "a.npz"
        program = f"import numpy as np, ireneo; np.savez('{archive}', x=np.eye(3)); print(ireneo.load_array('{archive}:x').sum())"
        self.assertEqual(run(python, "-c", program), "3.0\n")
        orders = [("numpy", "ireneo"), ("ireneo", "numpy")]
        if importlib.util.find_spec("torch"):
            orders += [("torch", "ireneo", "numpy"), ("ireneo", "torch", "numpy"), ("numpy", "ireneo", "torch")]
        for order in orders:
            run(python, TOGETHER, *order)

    def test_wheel_is_the_same_twice(self):
        again = self.folder / "again"
        run(ROOT / "scripts" / "wheel", again)
        for path in (self.wheel, self.sources):
            self.assertEqual((again / path.name).read_bytes(), path.read_bytes(), path.name)

    def test_sources(self):
        python = self.environment("sources")
        library = self.install(python, self.sources)
        self.assertTrue(library.is_relative_to(self.folder / "sources"))
        self.assertIn("5 of 5 are right", run(python, "-m", "ireneo.selftest"))
        run(python, "-m", "pip", "uninstall", "-y", "ireneo")
        library = self.install(python, ROOT / "python")
        self.assertTrue(library.is_relative_to(self.folder / "sources"))
        self.assertIn("5 of 5 are right", run(python, "-m", "ireneo.selftest"))


if __name__ == "__main__":
    unittest.main()
