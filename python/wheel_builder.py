"""Builds the wheel with nothing but Python itself (PEP 517), so that pip needs no network.

When the library has been built, it goes into the wheel, next to the package: build/libireneo.so of the source tree,
or the file named by IRENEO_LIBRARY. Otherwise the wheel is pure Python and finds the installed library."""

import base64
import hashlib
import os
import re
import sysconfig
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def _project():
    text = (HERE / "pyproject.toml").read_text()
    fields = dict(re.findall(r'^([\w-]+) = "(.*)"$', text, re.M))
    fields["dependencies"] = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]$", text, re.M).group(1))
    return fields


def _library():
    for place in (os.environ.get("IRENEO_LIBRARY"), HERE.parent / "build" / "libireneo.so"):
        if place and Path(place).is_file():
            return Path(place)
    return None


def _metadata(project):
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        "License: BSD-3-Clause",
        f"Requires-Python: {project['requires-python']}",
    ]
    return "\n".join(lines + [f"Requires-Dist: {name}" for name in project["dependencies"]]) + "\n"


def _write(path, tag, files):
    """A wheel is a zip file that lists its own contents with their checksums."""
    project = _project()
    info = f"{project['name']}-{project['version']}.dist-info"
    pure = "true" if tag.endswith("-any") else "false"
    wheel = f"Wheel-Version: 1.0\nGenerator: ireneo\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"
    files = {**files, f"{info}/METADATA": _metadata(project).encode(), f"{info}/WHEEL": wheel.encode()}
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(content)}\n"
            archive.writestr(name, content)
        archive.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")


def _name(tag):
    project = _project()
    return f"{project['name']}-{project['version']}-{tag}.whl"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    sources = [p for p in sorted((HERE / "ireneo").iterdir()) if p.suffix in (".py", ".typed")]
    files = {f"ireneo/{p.name}": p.read_bytes() for p in sources}
    library, tag = _library(), "py3-none-any"
    if library is not None:
        files["ireneo/libireneo.so"] = library.read_bytes()
        tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    _write(Path(wheel_directory, _name(tag)), tag, files)
    return _name(tag)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _write(Path(wheel_directory, _name("py3-none-any")), "py3-none-any", {"ireneo.pth": f"{HERE}\n".encode()})
    return _name("py3-none-any")


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    base = f"{project['name']}-{project['version']}"
    with tarfile.open(Path(sdist_directory, base + ".tar.gz"), "w:gz") as archive:
        for path in [HERE / "pyproject.toml", HERE / "wheel_builder.py", *sorted((HERE / "ireneo").glob("*.*"))]:
            archive.add(path, f"{base}/{path.relative_to(HERE)}")
    return base + ".tar.gz"
