"""Wheels and source distributions, bit for bit the same whoever builds them and when."""

import base64
import gzip
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

from . import project

EPOCH = (1980, 1, 1, 0, 0, 0)  # zip files know no earlier time


def _add(archive, name, content):
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
    archive.writestr(entry, content, compresslevel=9)


def _stem():
    fields = project.fields()
    return f"{fields['name']}-{fields['version']}"


def write_metadata(folder):
    """The part of a wheel's .dist-info that does not depend on what is compiled."""
    info = folder / f"{_stem()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_bytes(project.metadata())
    return info.name


def write_wheel(folder, tag, files, licences):
    """A zip file that lists its own contents with their checksums; licences go where tools look for them."""
    info = f"{_stem()}.dist-info"
    pure = "true" if tag.endswith("-any") else "false"
    wheel = f"Wheel-Version: 1.0\nGenerator: ireneo\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"
    files = {
        **files,
        **{f"{info}/licenses/{name}": content for name, content in licences.items()},
        f"{info}/METADATA": project.metadata(),
        f"{info}/WHEEL": wheel.encode(),
    }
    record, name = "", f"{_stem()}-{tag}.whl"
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(content)}\n"
            _add(archive, path, content)
        _add(archive, f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode())
    return name


def _sources():
    """Every file of a source distribution: (name in it, path here)."""
    here, tree = project.HERE, project.tree()
    for name in ("pyproject.toml", "README.md"):
        yield name, here / name
    for folder in (here / "wheel_builder", here / "ireneo"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".typed"):
                yield path.relative_to(here).as_posix(), path
    yield "source/LICENSE", tree / "LICENSE"
    yield "source/CMakeLists.txt", tree / "CMakeLists.txt"
    for folder in ("cmake", "include", "src", "python/native"):
        for path in sorted((tree / folder).rglob("*")):
            kept = path.suffix in (".c", ".h", ".cmake", ".md") and "lab" not in path.relative_to(tree).parts
            if path.is_file() and kept:
                yield f"source/{path.relative_to(tree).as_posix()}", path


def write_sdist(folder):
    """A .tar.gz from which the package is built, C library included, without a look outside."""
    base = _stem()
    with open(folder / f"{base}.tar.gz", "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            contents = [(name, Path(path).read_bytes()) for name, path in _sources()]
            for name, content in [("PKG-INFO", project.metadata()), *contents]:
                entry = tarfile.TarInfo(f"{base}/{name}")
                entry.size, entry.mtime, entry.mode = len(content), 315532800, 0o644
                archive.addfile(entry, io.BytesIO(content))
    return f"{base}.tar.gz"
