"""The blocks of a page: fenced parts of a Markdown file, each with what a comment above it asks for.

A comment of one line right above a fence is a list of wishes, separated by commas:

    loose             numbers depend on processor and BLAS: compared with room (compare.py)
    long              takes long: played by `make test-long` only
    needs A B         modules of Python: left out, and said so, where one is missing
    given: TEXT       the parameters of a C snippet that is no whole program; the rest of the line
"""
import re
import shlex
from dataclasses import dataclass, field

FENCE = re.compile(r"^(?P<indent> *)```(?P<kind>[\w+-]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```[ ]*$", re.S | re.M)
COMMENT = re.compile(r"<!--\s*(.*?)\s*-->\s*$")
PLAYED = ("console", "python", "c")
WISHES = re.compile(r"loose|long|needs [\w ]+")


@dataclass
class Block:
    kind: str
    text: str
    line: int
    wishes: set = field(default_factory=set)
    given: str = ""
    output: "str | None" = None  # the ```text block that follows a program

    @property
    def played(self):
        return self.kind in PLAYED


def wishes_above(page, start):
    """What the comment right above position `start` asks for: a set of wishes, and what a snippet is given."""
    comment = COMMENT.search(page[:start].rstrip().split("\n")[-1] if start else "")
    if not comment:
        return set(), ""
    if comment[1].startswith("given:"):
        return set(), comment[1][len("given:"):].strip()
    words = {word.strip() for word in comment[1].split(",")}
    return (words, "") if all(map(WISHES.fullmatch, words)) else (set(), "")


def read_blocks(page):
    """All fenced blocks of a page, outputs joined to their programs."""
    blocks, end = [], 0
    for fence in FENCE.finditer(page):
        indent = len(fence["indent"])
        text = "".join(line[indent:] for line in fence["text"].splitlines(keepends=True))
        between, kind = page[end:fence.start()], fence["kind"]
        follows = kind == "text" and blocks and blocks[-1].kind in ("python", "c") and not between.strip()
        end = fence.end()
        if follows:
            blocks[-1].output = text
            continue
        wishes, given = wishes_above(page, fence.start())
        blocks.append(Block(kind, text, page.count("\n", 0, fence.start()) + 1, wishes, given))
    return blocks


def open_ended(command):
    """Whether sh would wait for another line: an open quote, a loop without its end, a backslash."""
    try:
        shlex.split(command)
    except ValueError:
        return True
    return command.endswith("\\") or (re.match(r"for |while ", command) and not re.search(r"\bdone$", command))


def commands(block):
    """A console block as (command, lines shown); a command goes on behind a backslash or an open quote."""
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        lines = part.rstrip("\n").split("\n")
        command = [lines.pop(0)]
        while lines and open_ended("\n".join(command)):
            command.append(lines.pop(0))
        yield "\n".join(command), lines


def function_of(block):
    """A C snippet as the body of a function of what it is given."""
    includes = re.findall(r"^#include.*$", block.text, re.M)
    body = re.sub(r"^#include.*\n", "", block.text, flags=re.M)
    head = f"void snippet({block.given or 'void'})"
    return "\n".join([*includes, f"{head};", f"{head} {{", body, "}", ""])
