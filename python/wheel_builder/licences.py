"""The licences of libraries that a wheel carries, from the Debian packages they came out of."""

import re
import subprocess
from pathlib import Path

COMMON = Path("/usr/share/common-licenses")
#: Headers alone, compiled into the library.
HEADERS = [Path("/usr/include/Random123/philox.h")]

INTRODUCTION = """Ireneo itself is under the licence in ../LICENSE. This wheel carries copies of other people's libraries, unchanged but
for their file names and the names under which they look for each other. Each folder here holds the copyright file of one,
as Debian ships it. Sources: the source packages of these versions in the Debian archive. What is in ireneo/libraries is
linked dynamically and may be replaced by another build of the same library.

"""


def _ask(*command):
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else ""


def _owner(path):
    """The Debian package that a file belongs to. /lib is a link to /usr/lib, and packages know only one of the two."""
    for place in (str(path), re.sub("^/usr/lib/", "/lib/", str(path)), re.sub("^/lib/", "/usr/lib/", str(path))):
        found = _ask("dpkg-query", "-S", place)
        if found:
            return found.split(":")[0]
    raise SystemExit(f"ireneo: no Debian package owns {path}, so its licence is not known; a wheel must carry it")


def of(inside, shared):
    """{name in the wheel: text} for archives linked into the library and for libraries beside it."""
    texts, rows, wanted = {}, [], set()
    for path, how in [(p, "in libireneo.so") for p in (*inside, *HEADERS)] + [(p, "in ireneo/libraries") for p in shared]:
        package = _owner(path)
        version = _ask("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}\n", package).split("\n")[0]
        text = Path("/usr/share/doc", package, "copyright").read_text(errors="replace")
        texts[f"bundled/{package}/copyright"] = text.encode()
        wanted |= {name for name in re.findall(r"common-licenses/([\w.-]+\w)", text) if (COMMON / name).is_file()}
        rows.append(f"{path.name:32} {how:24} {package}, source {version}")
    for name in sorted(wanted):
        texts[f"bundled/common-licenses/{name}"] = (COMMON / name).read_bytes()
    texts["bundled/README"] = (INTRODUCTION + "\n".join(sorted(set(rows))) + "\n").encode()
    return texts
