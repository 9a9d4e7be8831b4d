#!/usr/bin/env python3
"""Plays a page of the documentation as a reader would use it: every block in order, in one folder that has data/ and
examples/, and compares what comes with what is shown.

    play.py PROGRAM PAGE... [--long] [--record FOLDER]     plays pages; the record of each goes to FOLDER
    play.py PROGRAM PAGE... --rewrite                      puts what comes into the page (rewrite.py); then read the change
    play.py --sum FOLDER                                   what was played, in one line

console: each command is run by sh; its output, then its error output, must be as shown, and its exit code 0, or 1 where
the answer shown is a no. A command without shown lines only has to end well. python: the blocks of a page share a
namespace; a ```text block behind one is its output. c: a block with main is compiled and run, another one is a snippet
and only compiled. sh: for set-up that a test cannot run; it may not call the program.
"""
import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from blocks import commands, function_of, read_blocks
from compare import fits
from rewrite import renew

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 900  # seconds for a command
NO = re.compile(r"^(impossible|partial|undecided|rejected)|\bdo(es)? not fit\b|\bnot all\b")
LINK = re.compile(r"\]\(([A-Za-z.][^)\s:#]*)(?:#[^)]*)?\)")


class Reader:
    """Someone with the program, the library and a folder, who follows a page."""

    def __init__(self, program, page, long):
        self.program, self.page, self.long = Path(program).resolve(), page, long
        self.build = self.program.parent
        self.sanitized = b"__asan_init" in self.program.read_bytes()
        self.folder = Path(tempfile.mkdtemp(prefix="ireneo-docs-"))
        self.python, self.variables = None, ""
        self.faults, self.renewed = [], []
        self.played, self.compared, self.lines, self.left = 0, 0, 0, 0

    def environment(self):
        """Where a reader's shell finds things; made by `settle`."""
        return {
            **os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "OMP_WAIT_POLICY": "passive", "LC_ALL": "C.UTF-8",
            "IRENEO_FIGURES": str(ROOT / "figures"), "IRENEO_DATA": str(ROOT / "data"),
            "IRENEO_LIBRARY": str(self.build / "libireneo.so"), "PYTHONPATH": str(ROOT / "python"),
            "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(self.folder)}

    def settle(self):
        """The folder of the reader: data, examples, and the program under its name."""
        (self.folder / "bin").mkdir()
        (self.folder / "bin/ireneo").symlink_to(self.program)
        wrapper = self.folder / "bin/python3"
        wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        wrapper.chmod(0o755)
        (self.folder / "here").mkdir()
        for name in ("data", "examples", "include"):
            (self.folder / "here" / name).symlink_to(ROOT / name)

    def install(self):
        """The library where pkg-config and CMake find it, for pages that ask for it."""
        prefix = self.folder / "prefix"
        subprocess.run(["cmake", "--install", self.build, "--prefix", prefix], check=True, capture_output=True)
        libraries = next(prefix.glob("**/libireneo.a")).parent
        os.environ.update(PKG_CONFIG_PATH=f"{libraries}/pkgconfig", CMAKE_PREFIX_PATH=str(prefix),
                          LD_LIBRARY_PATH=str(libraries))

    def fault(self, block, *words):
        self.faults.append("\n".join([f"{self.page}:{block.line}:", *words]))

    def judge(self, block, what, shown, come):
        """Compares an output, if the page shows one."""
        if shown is None:
            return
        shown, come = (text.rstrip("\n").split("\n") for text in (shown, come))
        self.compared, self.lines = self.compared + 1, self.lines + len(shown)
        if not fits(shown, come, "loose" in block.wishes):
            self.renewed.append((block.line, what, shown, renew(shown, come, "loose" in block.wishes)))
            self.fault(block, what, "--- prints", *come[:60], "--- instead of", *shown)

    def console(self, block):
        for command, shown in commands(block):
            if re.match(r"\w+=", command):  # a variable, for the commands that follow
                self.variables += command + "\n"
                continue
            done = subprocess.run(["sh", "-c", self.variables + command], capture_output=True, text=True, env=self.environment(),
                                  cwd=self.folder / "here", timeout=PATIENCE, stdin=subprocess.DEVNULL)
            refused = bool(done.stderr) and any("ireneo" in line for line in shown)
            asked = any(line.startswith("?") or NO.search(line) for line in shown)
            wanted = (2, 3, 4) if refused else (1, 0) if asked else (0,)
            if done.returncode not in wanted or (done.stderr and not shown):
                self.fault(block, f"$ {command}", f"ends with {done.returncode} and prints",
                           done.stdout[:3000] + done.stderr[:3000])
                continue
            self.judge(block, f"$ {command}", "\n".join(shown) if shown else None, done.stdout + done.stderr)

    def run_python(self, block):
        if self.python is None:
            self.python = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("interpreter.py")], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True, env=self.environment(), cwd=self.folder / "here")
        self.python.stdin.write(json.dumps({"code": block.text}) + "\n")
        self.python.stdin.flush()
        answer = json.loads(self.python.stdout.readline() or '{"printed": "", "error": "the interpreter ended"}')
        if answer["error"]:
            self.fault(block, answer["error"])
        else:
            self.judge(block, block.text, block.output, answer["printed"])

    def run_c(self, block):
        """A whole program is run, a snippet only compiled."""
        source, program = self.folder / "block.c", self.folder / "block"
        whole = "main(" in block.text
        source.write_text(block.text if whole else function_of(block))
        link = ["-o", program, f"-L{self.build}", "-lireneo", f"-Wl,-rpath,{self.build}"] if whole else ["-fsyntax-only"]
        done = subprocess.run(["cc", "-std=c17", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", source, *link],
                              capture_output=True, text=True)
        if done.returncode:
            self.fault(block, done.stderr)
        elif whole:
            done = subprocess.run([program], capture_output=True, text=True, cwd=self.folder / "here", timeout=PATIENCE)
            if done.returncode:
                self.fault(block, f"ends with {done.returncode}", done.stdout, done.stderr)
            self.judge(block, "the program", block.output, done.stdout)

    def can(self, block):
        """Whether a block can be played here; sanitizers would have to be in the interpreter and the consumer, too."""
        if "long" in block.wishes and not self.long:
            return False
        needed = [module for wish in block.wishes if wish.startswith("needs ") for module in wish.split()[1:]]
        if any(importlib.util.find_spec(module) is None for module in needed):
            return False
        program = block.kind != "console" or re.search(r"^\$ (\./|cc |cmake |python3 )", block.text, re.M)
        return not (self.sanitized and program)

    def read(self, text):
        blocks = read_blocks(text)
        if re.search(r"^\$ .*(pkg-config|cmake) ", text, re.M) and not self.sanitized:
            self.install()
        self.settle()
        for block in blocks:
            if block.kind in ("", "sh", "text") and re.search(r"^(\$ )?ireneo ", block.text, re.M):
                self.fault(block, "calls the program in a block that is not played: make it a console block")
            if not block.played:
                continue
            if not self.can(block):
                self.left += 1
                continue
            self.played += 1
            {"console": self.console, "python": self.run_python, "c": self.run_c}[block.kind](block)
        self.look_around(text)

    def look_around(self, text):
        """Links to files that are there; nothing half-written left behind."""
        for link in sorted(set(LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)))):
            if not ((ROOT / self.page).parent / link).exists():
                self.faults.append(f"{self.page} points to {link}, which is not there")
        for left in (self.folder / "here").rglob("*.tmp*"):
            self.faults.append(f"{self.page} leaves {left} behind")

    def rewritten(self, text):
        """The page with what came in place of what was shown; each part is looked for from its block on."""
        for line, what, shown, fresh in reversed(self.renewed):
            start = len("".join(text.splitlines(keepends=True)[:line]))
            for indent in ("", "    "):
                old, new = ("\n".join(indent + row if row else row for row in rows) for rows in (shown, fresh))
                lead = indent + what + "\n" if what.startswith("$ ") else "```text\n"
                if (at := text.find(lead + old + "\n", start)) >= 0:
                    at += len(lead)
                    text = text[:at] + new + text[at + len(old):]
                    break
        return text

    def leave(self):
        if self.python is not None:
            self.python.stdin.close()
            self.python.wait()
        shutil.rmtree(self.folder)

    def summary(self):
        left = f"; {self.left} left out here" if self.left else ""
        return f"{self.page}: {self.played} blocks played, {self.compared} outputs of {self.lines} lines compared{left}"

    def record(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        name = str(self.page).replace("/", "-") + ".json"
        (folder / name).write_text(json.dumps({key: getattr(self, key) for key in ("played", "compared", "lines", "left")}))


def total(folder):
    records = [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.json"))]
    played, compared, lines, left = (sum(r[key] for r in records) for key in ("played", "compared", "lines", "left"))
    pages = sum(r["played"] > 0 for r in records)
    print(f"documentation: {played} blocks of {pages} pages played, {compared} outputs of {lines} lines compared; "
          f"{left} blocks left to `make test-long` or to machines that can play them")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--rewrite", action="store_true")
    parser.add_argument("--sum")
    wanted = parser.parse_args()
    if wanted.sum:
        return total(wanted.sum)
    faults = []
    for page in wanted.pages:
        page = Path(page).resolve()
        reader = Reader(wanted.program, page.relative_to(ROOT) if page.is_relative_to(ROOT) else page, wanted.long)
        try:
            reader.read(page.read_text())
        finally:
            reader.leave()
        if wanted.record:
            reader.record(wanted.record)
        print(reader.summary(), flush=True)
        if wanted.rewrite:
            page.write_text(reader.rewritten(page.read_text()))
        print(*reader.faults, sep="\n\n")
        faults += reader.faults
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
