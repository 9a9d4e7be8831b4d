"""Builds the package with nothing but Python itself (PEP 517, PEP 660), so that pip needs no network.

What of the C library goes into the wheel is chosen by the environment variable IRENEO_WHEEL, or by
`pip install --config-settings library=...`:

    build    compiled here, linked with the libraries of this system; the default
    bundle   with every library it needs inside, for other systems too; needs patchelf (`make wheel`)
    system   nothing: the binding finds the installed libireneo, as packages of a distribution want it

IRENEO_LIBRARY=FILE takes that file as it is."""

import os
from pathlib import Path

from . import archive, native, project
from .elf import platform_tag

__all__ = ["build_editable", "build_sdist", "build_wheel", "prepare_metadata_for_build_wheel"]

PURE = "py3-none-any"


def _choice(config_settings):
    named = os.environ.get("IRENEO_LIBRARY")
    wish = (config_settings or {}).get("library") or os.environ.get("IRENEO_WHEEL") or (named or "build")
    if wish not in ("build", "bundle", "system") and not Path(wish).is_file():
        raise SystemExit(f"ireneo: library is one of build, bundle, system or a file, not '{wish}'")
    return wish


def _package_files():
    folder = project.HERE / "ireneo"
    sources = [p for p in sorted(folder.rglob("*")) if p.suffix in (".py", ".typed")]
    return {f"ireneo/{p.relative_to(folder).as_posix()}": p.read_bytes() for p in sources}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel in wheel_directory; its name."""
    files, licences = _package_files(), {"LICENSE": project.licence()}
    wish, tag = _choice(config_settings), PURE
    if wish == "bundle":
        with native.bundle() as (folder, found_licences):
            files.update({f"ireneo/{p.relative_to(folder).as_posix()}": p.read_bytes() for p in native.libraries(folder)})
            licences.update(found_licences)
            tag = "py3-none-" + platform_tag(native.libraries(folder))
    elif wish != "system":
        files["ireneo/libireneo.so"] = (native.compiled() if wish == "build" else Path(wish)).read_bytes()
        tag = "py3-none-" + native.local_platform()
    return archive.write_wheel(Path(wheel_directory), tag, files, licences)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What pip asks for first, so that nothing is compiled when a dependency is missing; the folder's name."""
    return archive.write_metadata(Path(metadata_directory))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that points here. The library is the one that `make build` leaves in build/."""
    return archive.write_wheel(
        Path(wheel_directory), PURE, {"ireneo.pth": f"{project.HERE}\n".encode()}, {"LICENSE": project.licence()}
    )


def build_sdist(sdist_directory, config_settings=None):
    """A source distribution with the C sources; its name."""
    return archive.write_sdist(Path(sdist_directory))
