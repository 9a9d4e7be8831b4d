"""The page of the C interface, made from the headers: their comments are its text, so that it cannot grow old.

    python3 scripts/site/c_api.py HEADERS-FOLDER >page.md

A header is a row of parts that are separated by blank lines outside of braces: comments of one star are prose (with a title
when they are numbered), comments of two stars belong to the declaration below them.
"""
import re
import sys
import textwrap
from pathlib import Path

# What the preprocessor needs and a reader does not.
PLUMBING = re.compile(r'^#ifndef \w+_H\n#define \w+_H$|^#ifdef __cplusplus\n.*?\n#endif$|^#endif[^\n]*$|^#include [^\n]*$|'
                      r"^#if defined\(__GNUC__\).*?^#endif$", re.M | re.S)
LEAD = re.compile(r"/\*(?!\*).*?\*/", re.S)
DOCUMENTED = re.compile(r"/\*\*(.*?)\*/\n", re.S)
NAMES = (re.compile(r"\} (ireneo_\w+);\s*$"),
         re.compile(r"\(\*(ireneo_\w+)\)"), re.compile(r"^#define (IRENEO_\w+)"), re.compile(r"^enum \{ (IRENEO_\w+)"),
         re.compile(r"(ireneo_\w+);\s*$"))


def prose(comment):
    """The text of a comment; lines that are indented further are code, as Markdown has it."""
    lines = re.sub(r"^/\*+|\*+/$", "", comment.strip()).split("\n")
    lines = [re.sub(r"^\s*\*? ?", "", lines[0])] + [re.sub(r"^ \* ?|^ \*$|^\s+\* ?", "", line) for line in lines[1:]]
    return shape("\n".join(line for line in lines if not re.fullmatch(r"\s*[-=]{8,}\s*", line)))


def groups(text):
    """Lines that belong together: up to a blank line, or to where indentation begins or ends."""
    group = []
    for line in text.split("\n"):
        if group and (not line.strip() or line.startswith("  ") != group[0].startswith("  ")):
            yield group
            group = []
        if line.strip():
            group.append(line)
    if group:
        yield group


def shape(text):
    """A comment as Markdown: what is indented is a list, a table or code in fences, or a paragraph."""
    out = []
    for group in groups(text):
        dense = textwrap.dedent("\n".join(group)).rstrip()
        if not group[0].startswith("  ") or dense.startswith("- "):
            out.append(escape(dense))
        elif group[0].startswith("    "):
            out.append(f"```c\n{dense}\n```")
        elif re.search(r"\S {2,}\S", dense):
            out.append(f"```text\n{dense}\n```")
        else:
            out.append(escape(dense))
    return "\n\n".join(out)


def escape(text):
    """Markdown leaves the stars and underscores of formulas alone, and angle brackets are no HTML."""
    return re.sub(r"([*_|])", r"\\\1", text).replace("<", "&lt;")


def parts(header):
    """Splits at blank lines that are outside of comments and braces."""
    part, depth, comment = [], 0, False
    for line in header.split("\n"):
        if not line.strip() and depth == 0 and not comment:
            if part:
                yield "\n".join(part)
            part = []
            continue
        part.append(line)
        bare = re.sub(r"/\*.*?\*/", "", line)
        comment = (comment or "/*" in bare) and not ("*/" in bare)
        if not comment:
            code = re.sub(r"^.*\*/", "", bare)
            depth += code.count("{") - code.count("}") if 'extern "C"' not in code else 0
    if part:
        yield "\n".join(part)


def names_of(code):
    """What a declaration, or several in a row, make known."""
    functions = re.findall(r"^IRENEO_API [^(;]*?(ireneo_\w+)\(", code, re.M)
    return functions or [found[1] for found in (pattern.search(code) for pattern in NAMES) if found][:1]


def declaration(part):
    """A heading, the comment of two stars as text, and the code."""
    documented = DOCUMENTED.match(part)
    code = part[documented.end():] if documented else part
    first, *others = names_of(code) or [None]
    heading = f"#### {', '.join(f'`{name}`' for name in (first, *others))} {{ #{first} }}\n\n" if first else ""
    heading += "".join(f'<a id="{name}"></a>\n\n' for name in others)
    text = prose(documented[0]) + "\n\n" if documented else ""
    code = re.sub(r"^IRENEO_API ", "", code.rstrip(), flags=re.M)
    code = re.sub(r"\n {8,}", "\n    ", code) if "(" in code.split("{")[0] else code
    return f"{heading}{text}```c\n{code}\n```\n"


def lead(comment):
    """A comment of one star: a banner, a numbered title with text, or text."""
    banner = re.match(r"/\* =+ (\w+) =+\n \* (.*?) \*/", comment, re.S)
    if banner:
        return f"### {banner[1]} calls\n\n{banner[2][0].upper()}{banner[2][1:]}.\n"
    text = prose(comment)
    title = re.match(r"(\d+)\. (.*)", text)
    return f"### {title[2]}\n\n{text[title.end():].strip()}\n" if title else text + "\n"


def page_of(path):
    """One header: its first comment is the title."""
    header = PLUMBING.sub("", path.read_text())
    first, *rest = parts(header.strip())
    title, _, more = prose(LEAD.match(first)[0]).partition(": ")
    out = [f"## {title}\n\n`#include <ireneo/{path.name}>`: {more}\n"]
    for part in rest:
        if part.startswith("}"):
            continue
        out.append(lead(part) if LEAD.fullmatch(part.strip()) else declaration(part))
    return "\n".join(out)


def c_api(include):
    """The whole page: the manual of ireneo.h, then the headers in the order in which it names them."""
    include = Path(include)
    manual = LEAD.match((include / "ireneo.h").read_text())[0]
    order = re.findall(r"ireneo/(\w+\.h) ", manual)
    present = {path.name for path in (include / "ireneo").glob("*.h")}
    if set(order) != present:
        raise SystemExit(f"c_api: ireneo.h names {sorted(order)}, but there are {sorted(present)}")
    text = re.sub(r"^(In ten lines|Arguments|Results|Errors|Calls at the same time|Versions)$", r"## \1", prose(manual), flags=re.M)
    text = re.sub(r"\A.*?\n", "# C API\n", text, count=1)
    return "\n".join([text, "", *(page_of(include / "ireneo" / name) for name in order)])


if __name__ == "__main__":
    print(c_api(sys.argv[1]))
