"""Where things are, and what pyproject.toml says. Python has a reader of TOML only since 3.11; ours knows what we write."""

import re
from pathlib import Path

#: The folder of pyproject.toml.
HERE = Path(__file__).resolve().parent.parent


def tree():
    """The folder of CMakeLists.txt: beside us in a source distribution, above us in the repository."""
    for folder in (HERE / "source", HERE.parent):
        if (folder / "CMakeLists.txt").is_file() and (folder / "include" / "ireneo.h").is_file():
            return folder
    raise SystemExit("ireneo: the C sources are not here; build from the repository or from a source distribution")


def fields():
    """The table [project]: texts, and lists of texts."""
    text = (HERE / "pyproject.toml").read_text().split("[project]")[1].split("\n[")[0]
    found = dict(re.findall(r'^([\w-]+) = "(.*)"$', text, re.M))
    for name, body in re.findall(r"^([\w-]+) = \[(.*?)\]$", text, re.M | re.S):
        found[name] = re.findall(r'"([^"]+)"', body)
    return found


def licence():
    return (tree() / "LICENSE").read_bytes()


def metadata():
    """METADATA of wheels and PKG-INFO of source distributions."""
    project = fields()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        "License: BSD-3-Clause",
        *[f"Classifier: {name}" for name in project["classifiers"]],
        f"Requires-Python: {project['requires-python']}",
        *[f"Requires-Dist: {name}" for name in project["dependencies"]],
        "Description-Content-Type: text/markdown",
    ]
    return ("\n".join(lines) + "\n\n" + (HERE / "README.md").read_text()).encode()
