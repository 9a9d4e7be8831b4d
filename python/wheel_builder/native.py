"""The C library: compiled, and for wheels gathered with all it needs."""

import contextlib
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from . import elf, licences, project

#: Debian packages that compiling needs; scripts/setup is the list for everything else.
PACKAGES = (
    "gcc make cmake pkg-config libopenblas-dev liblapacke-dev libcjson-dev librandom123-dev libzip-dev libb2-dev libgmp-dev"
)
NEEDED = f"it needs a C compiler, make, CMake, pkg-config and the libraries that these Debian packages hold: {PACKAGES}"


def local_platform():
    """The tag of wheels for this machine alone."""
    return re.sub(r"[-.]", "_", sysconfig.get_platform())


def _writable(folder):
    """Where to compile: beside the sources, so that a second time is short, or in a folder that is thrown away."""
    try:
        folder.mkdir(exist_ok=True)
        return folder if os.access(folder, os.W_OK) else Path(tempfile.mkdtemp(prefix="ireneo-"))
    except OSError:
        return Path(tempfile.mkdtemp(prefix="ireneo-"))


def _run(command, log):
    log.write(("$ " + " ".join(command) + "\n").encode())
    log.flush()
    return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode == 0


def _compile(name, target, *options):
    """Configures and compiles one target; its folder."""
    missing = [tool for tool in ("cmake", "pkg-config") if shutil.which(tool) is None]
    if missing:
        raise SystemExit(f"ireneo: the C library cannot be compiled without {' and '.join(missing)}; {NEEDED}")
    folder = _writable(project.tree() / name)
    off = [f"-DIRENEO_{part}=OFF" for part in ("PROGRAM", "TESTS", "BENCH")]
    jobs = os.environ.get("JOBS") or str(os.cpu_count() or 2)
    with open(folder / "build.log", "wb") as log:
        done = _run(["cmake", "-S", str(project.tree()), "-B", str(folder), *off, *options], log) and _run(
            ["cmake", "--build", str(folder), "--target", target, "-j", jobs], log
        )
    if not done:
        said = (folder / "build.log").read_text(errors="replace").strip().split("\n")
        raise SystemExit("\n".join(said[-30:]) + f"\nireneo: the C library could not be compiled (above); {NEEDED}")
    return folder


def _is_current(library):
    """Whether a library is younger than every source."""
    tree = project.tree()
    sources = [tree / "CMakeLists.txt", *(tree / "src").rglob("*.[ch]"), *(tree / "include").rglob("*.h")]
    return library.is_file() and library.stat().st_mtime >= max(p.stat().st_mtime for p in sources)


def compiled():
    """libireneo.so for this machine: the one of `make build`, if it is younger than the sources, or a new one."""
    made = project.tree() / "build" / "libireneo.so"
    return made if _is_current(made) else _compile("build-python", "ireneo_shared") / "libireneo.so"


# ---- For other systems: copies of everything, under names of our own ----


def libraries(folder):
    return sorted(p for p in folder.rglob("*.so*"))


def _found(path):
    """Where the loader of this system finds what a library needs: {name: path}."""
    said = subprocess.run(["ldd", str(path)], check=True, capture_output=True, text=True).stdout
    if "not found" in said:
        raise SystemExit(f"ireneo: {path} lacks libraries:\n{said}")
    return {name: Path(place) for name, place in re.findall(r"(\S+) => (/\S+)", said)}


def _own_name(name):
    """libgmp.so.10 becomes libireneo_gmp.so.10: the loader takes libraries of one name for the same."""
    return re.sub(r"^lib", "libireneo_", name)


def _patch(path, *arguments):
    subprocess.run(["patchelf", *arguments, str(path)], check=True)


def _gather(library, folder):
    """Puts the library and what it needs into folder; the originals' paths."""
    outside = {name: path for name, path in _found(library).items() if name not in elf.SYSTEM}
    (folder / "libraries").mkdir()
    main = Path(shutil.copy(library, folder / "libireneo.so"))
    copies = {name: Path(shutil.copy(path, folder / "libraries" / _own_name(name))) for name, path in outside.items()}
    for name, copy in [(None, main), *copies.items()]:
        copy.chmod(0o755)
        _patch(copy, "--set-rpath", "$ORIGIN/libraries" if name is None else "$ORIGIN")
        _patch(copy, "--set-soname", copy.name if name is not None else "libireneo_python.so")
        for other in sorted(set(elf.read(copy).needed) & set(copies)):
            _patch(copy, "--replace-needed", other, _own_name(other))
    return [path.resolve() for path in outside.values()]


@contextlib.contextmanager
def bundle():
    """A folder as it goes into the wheel's package, and the licences of everything that is in it."""
    if shutil.which("patchelf") is None:
        raise SystemExit("ireneo: a wheel with its libraries inside needs patchelf; on Debian: apt install patchelf")
    built = _compile("build-wheel", "ireneo_bundled", "-DIRENEO_BUNDLE=ON")
    cache = (built / "CMakeCache.txt").read_text()
    inside = [Path(p).resolve() for p in re.findall(r"^archive_\w+:FILEPATH=(.*)$", cache, re.M)]
    with tempfile.TemporaryDirectory(prefix="ireneo-") as name:
        shared = _gather(built / "bundled" / "libireneo.so", Path(name))
        yield Path(name), licences.of(inside, shared)
