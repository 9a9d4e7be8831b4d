#!/bin/sh
# README.md as a reader would use it: every console block is run, in order, in one folder that has data/; what is shown
# must come, "..." standing for any lines. Numbers are compared as they are shown; in blocks behind <!-- loose -->, which
# say that they depend on processor and BLAS, scores within 5 %, bounds within a factor 100, counts of "impossible" within 5 %. The C snippet is compiled.
. "$(dirname "$0")/../support/cli.sh"
ln -s "$root/data" data
cat >play.py <<'END'
import os, re, subprocess, sys
program, root = sys.argv[1:]
text = open(os.path.join(root, "README.md")).read()
number = re.compile(r"-?\d+(?:[ ]\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")
faults, commands, lines = 0, 0, 0

def close(shown, come, counts):
    """Whole numbers depend on the machine only where the best memory that was found does (`counts`)."""
    if "." not in shown and not counts:
        return shown == come
    a, b = (float(x.replace(" ", "")) for x in (shown, come))
    if "e" in shown:
        return a * b > 0 and 0.01 < a / b < 100
    return abs(a - b) <= 0.05 * abs(a)

def same(shown, come, loose):
    if not loose:
        return shown == come
    if number.sub("#", shown) != number.sub("#", come):
        return False
    return all(close(a, b, shown.startswith("impossible")) for a, b in zip(number.findall(shown), number.findall(come)))

def fits(shown, come, loose):
    """Whether the lines that came are those shown, with any lines in the place of '...'."""
    if not shown:
        return not come
    if shown[0] == "...":
        return any(fits(shown[1:], come[k:], loose) for k in range(len(come) + 1))
    return bool(come) and same(shown[0], come[0], loose) and fits(shown[1:], come[1:], loose)

blocks = re.findall(r"(<!-- loose -->\n)?```console\n(.*?)```", text, re.S)
for loose, block in blocks:
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, *shown = part.rstrip("\n").split("\n")
        done = subprocess.run(
            ["sh", "-c", f'ireneo() {{ "$IRENEO" "$@"; }}; {command}'], capture_output=True, text=True,
            env={**os.environ, "IRENEO": program})
        come = done.stdout.rstrip("\n").split("\n")
        commands, lines = commands + 1, lines + len(shown)
        wanted = 1 if shown and shown[0].startswith("impossible") else 0
        if done.returncode != wanted or done.stderr or (shown and not fits(shown, come, bool(loose))):
            faults += 1
            print(f"$ {command}\nends with {done.returncode} and prints\n{done.stdout[:2000]}{done.stderr}", "instead of", *shown, sep="\n")
if commands < 10 or lines < 20:
    raise SystemExit(f"only {commands} commands with {lines} lines were found in the README")
raise SystemExit(faults > 0)
END
"$python" play.py "$ireneo" "$root" >played 2>&1 || fault "README.md does not run as shown: $(cat played)"

# ---- C
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$root/README.md" >snippet
{
    grep '^#include' snippet
    echo 'void snippet(size_t n, size_t P, size_t d, const float *keys, const float *values, const int64_t *targets) {'
    grep -v '^#include' snippet
    echo '}'
} >snippet.c
grep -q IRENEO_STATUS snippet || fault "the C snippet of the README does not look at the status"
${CC:-gcc} -std=c17 -Wall -Wextra -Werror -I "$root/include" -fsyntax-only snippet.c >compiled 2>&1 || fault "C snippet: $(cat compiled)"

# ---- Python
library=$(dirname "$ireneo")/libireneo.so
if [ -e "$library" ] && [ "$sanitized" = no ]; then # the interpreter is not built with sanitizers
    {
        echo 'import numpy as np; d = np.random.default_rng(1)'
        echo 'keys, values, targets = d.standard_normal((9, 8)), d.standard_normal((9, 8)), np.arange(9); queries = keys'
        awk '/^```python$/ { on = 1; next } /^```$/ { on = 0 } on' "$root/README.md"
        echo 'assert (indices[:, 0] == targets).all()'
    } >snippet.py
    PYTHONPATH=$root/python IRENEO_LIBRARY=$library "$python" snippet.py >ran 2>&1 || fault "Python snippet: $(cat ran)"
    grep -q '^stored 9$' ran || fault "Python snippet: $(cat ran)"
fi

# ---- files that the README points to
grep -o '](\([A-Za-z][^):#]*\))' "$root/README.md" | sed 's/](\(.*\))/\1/' | sort -u >links
while read -r link; do [ -e "$root/$link" ] || fault "the README points to $link, which is not there"; done <links
finish "README: every block runs as shown"
