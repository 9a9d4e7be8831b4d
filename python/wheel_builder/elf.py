"""What a shared library asks of the system it is loaded on, read from the file itself, and the platform tag that follows.

    python3 python/wheel_builder/elf.py FILE...      prints the tag, and what decided it

A tag manylinux_2_X promises: only the libraries of SYSTEM are looked for outside the wheel, and they need no symbol that
glibc 2.X does not have. Pages that are both data and code, and code that must be rewritten while it is loaded, are
refused as well: newer systems do not load such files."""

import re
import struct
import sys
from collections import namedtuple
from pathlib import Path

#: Libraries that every glibc system has, under the tags of PEP 600.
SYSTEM = {
    "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1",
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
}  # fmt: skip
#: Newest symbols of the compiler's own library that may be asked for: those of GCC 7, older than glibc 2.27.
NEWEST_GCC = (7, 0, 0)
OLDEST_GLIBC = 17  # no tag below manylinux_2_17 is in use

MACHINES = {62: "x86_64", 183: "aarch64"}
PT_LOAD, PT_DYNAMIC, PT_GNU_STACK, EXECUTABLE = 1, 2, 0x6474E551, 1
DT_NEEDED, DT_STRTAB, DT_SONAME, DT_TEXTREL, DT_RUNPATH = 1, 5, 14, 22, 29
DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF

#: versions: {library: {version, ...}}, of symbols that are looked for.
Library = namedtuple("Library", "machine soname runpath needed versions executable_stack text_relocations")


class _Image:
    """The bytes of a 64-bit little-endian ELF file, by address."""

    def __init__(self, content):
        if content[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        self.content = content
        self.machine = struct.unpack_from("<H", content, 18)[0]
        start, (size, count) = struct.unpack_from("<Q", content, 32)[0], struct.unpack_from("<HH", content, 54)
        #: (type, flags, offset, address, bytes in the file)
        self.segments = [
            (*struct.unpack_from("<IIQQ", content, start + size * k), struct.unpack_from("<Q", content, start + size * k + 32)[0])
            for k in range(count)
        ]

    def place(self, address):
        for kind, _, offset, first, length in self.segments:
            if kind == PT_LOAD and first <= address < first + length:
                return address - first + offset
        raise ValueError(f"no segment holds address {address:#x}")

    def text(self, address):
        at = self.place(address)
        return self.content[at : self.content.index(b"\0", at)].decode()

    def dynamic(self):
        """The dynamic table: pairs (tag, value)."""
        for kind, _, offset, _, length in self.segments:
            if kind == PT_DYNAMIC:
                for tag, value in struct.iter_unpack("<QQ", self.content[offset : offset + length // 16 * 16]):
                    if tag == 0:
                        return
                    yield tag, value


def _versions(image, strings, address, count):
    """DT_VERNEED: a chain of libraries, each with a chain of versions."""
    found, at = {}, image.place(address)
    for _ in range(count):
        _, entries, name, first, following = struct.unpack_from("<HHIII", image.content, at)
        wanted = found.setdefault(image.text(strings + name), set())
        entry = at + first
        for _ in range(entries):
            _, _, _, version, step = struct.unpack_from("<IHHII", image.content, entry)
            wanted.add(image.text(strings + version))
            entry += step
        at += following
    return found


def read(path):
    """What the file says of itself."""
    image = _Image(Path(path).read_bytes())
    table = list(image.dynamic())
    single = dict(table)
    strings = single[DT_STRTAB]
    stack = [flags for kind, flags, *_ in image.segments if kind == PT_GNU_STACK]

    def text(tag):
        return image.text(strings + single[tag]) if tag in single else None

    return Library(
        machine=MACHINES.get(image.machine, f"machine {image.machine}"),
        soname=text(DT_SONAME),
        runpath=text(DT_RUNPATH),
        needed=[image.text(strings + value) for tag, value in table if tag == DT_NEEDED],
        versions=_versions(image, strings, single[DT_VERNEED], single[DT_VERNEEDNUM]) if DT_VERNEED in single else {},
        executable_stack=not stack or bool(stack[0] & EXECUTABLE),
        text_relocations=DT_TEXTREL in single,
    )


def _faults(name, library, inside):
    outside = [n for n in library.needed if n not in inside and n not in SYSTEM]
    if outside:
        yield f"{name} needs {', '.join(outside)}, which not every system has"
    if library.executable_stack:
        yield f"{name} wants a stack that is executable"
    if library.text_relocations:
        yield f"{name} must be rewritten while it is loaded"
    for version in sorted({v for versions in library.versions.values() for v in versions}):
        newer = re.fullmatch(r"GCC_([\d.]+)", version)
        if newer and tuple(map(int, newer.group(1).split("."))) > NEWEST_GCC:
            yield f"{name} needs {version}"
        if version.startswith("GLIBC_") and not re.fullmatch(r"GLIBC_2\.\d+(\.\d+)?", version):
            yield f"{name} needs {version}, which no tag promises"


def newest_glibc(library):
    """X, when the newest symbols that the library looks for are those of glibc 2.X."""
    wanted = [v for versions in library.versions.values() for v in versions]
    return max([int(m.group(1)) for m in (re.match(r"GLIBC_2\.(\d+)", v) for v in wanted) if m], default=0)


def platform_tag(paths):
    """The tag that these files, loaded together, deserve. Ends with a sentence where they deserve none."""
    libraries = {Path(p).name: read(p) for p in paths}
    inside = {library.soname for library in libraries.values()}
    faults = [fault for name, library in libraries.items() for fault in _faults(name, library, inside)]
    machines = sorted({library.machine for library in libraries.values()})
    if len(machines) != 1 or machines[0] not in MACHINES.values():
        faults.append(f"the libraries are for {', '.join(machines)}")
    if faults:
        raise SystemExit("ireneo: this wheel would not load everywhere: " + "; ".join(faults))
    newest = max([OLDEST_GLIBC, *map(newest_glibc, libraries.values())])
    return f"manylinux_2_{newest}_{machines[0]}"


if __name__ == "__main__":
    for file in sys.argv[1:]:
        print(f"{Path(file).name}: glibc 2.{newest_glibc(read(file))}, needs {', '.join(read(file).needed)}")
    print(platform_tag(sys.argv[1:]))
