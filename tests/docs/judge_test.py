"""The player of pages must be able to say no: pages with one thing wrong, each of which has to fail, beside right ones."""
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PROGRAM = sys.argv[1]
REFUSED = subprocess.run([PROGRAM, "capacity", "--dim", "0"], capture_output=True, text=True).stderr.strip()
CAPACITY = "```console\n$ ireneo capacity --dim 100 --json | tr ',' '\\n' | grep '\"facts_capacity\"'\n{}\n```\n"

RIGHT = {
    "a number": CAPACITY.format("..."),
    "a refusal": "```console\n$ ireneo capacity --dim 0\n{}\n```\n".format(REFUSED),
    "python": "```python\nx = 2\n```\n\n```python\nprint(x + 1)\n```\n\n```text\n3\n```\n",
    "loose": "<!-- loose -->\n```console\n$ echo 'score 1.03, bound 3e-15, 12 of 12'\nscore 1.00, bound 9e-15, 12 of 12\n```\n",
    "a part that was found": "<!-- loose -->\n```console\n$ echo '118 of 250'\n117 of 250\n```\n",
    "times": "```console\n$ echo 'done in 3.2 s'\ndone in 99 s\n```\n",
    "lines between": "```console\n$ printf 'a\\nb\\nc\\n'\na\n...\nc\n```\n",
    "a long block": "<!-- long -->\n```console\n$ false\n```\n",
    "the rest of a line": "```console\n$ echo a b c d\na b ...\n```\n",
    "goes on": "```console\n$ echo a \\\n  b\na b\n```\n",
}
WRONG = {
    "a digit": "```console\n$ echo 1.2345\n1.2346\n```\n",
    "a missing line": "```console\n$ printf 'a\\nb\\n'\na\n```\n",
    "an exit code": "```console\n$ ireneo capacity --dim 100 >/dev/null; exit 3\n```\n",
    "a silent no": "```console\n$ exit 1\n```\n",
    "words on stderr": "```console\n$ echo oops >&2\n```\n",
    "python raises": "```python\nraise ValueError('no')\n```\n",
    "python prints other": "```python\nprint(3)\n```\n\n```text\n4\n```\n",
    "c does not compile": "```c\n#include <ireneo.h>\nireneo_nothing();\n```\n",
    "a count in a loose block": "<!-- loose -->\n```console\n$ echo '12 of 13'\n12 of 12\n```\n",
    "too far in a loose block": "<!-- loose -->\n```console\n$ echo 1.2\n1.0\n```\n",
    "another beginning of a line": "```console\n$ echo a c d\na b ...\n```\n",
    "a link to nothing": "[there](nothing-of-this-name.md)\n",
    "a block nobody plays": "```\n$ ireneo capacity --dim 100\n```\n",
}


def play(text):
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.md"
        page.write_text(text)
        return subprocess.run([sys.executable, HERE / "play.py", PROGRAM, page], capture_output=True, text=True)


faults = 0
for name, text, wanted in [(n, t, 0) for n, t in RIGHT.items()] + [(n, t, 1) for n, t in WRONG.items()]:
    done = play(text)
    if done.returncode != wanted or "Traceback" in done.stderr:
        faults += 1
        print(f"{name}: exit code {done.returncode} instead of {wanted}\n{done.stdout}{done.stderr}")
print(f"{len(RIGHT)} right pages accepted, {len(WRONG)} wrong ones refused" if not faults else f"{faults} faults")
sys.exit(faults > 0)
