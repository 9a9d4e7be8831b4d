"""Whether what came is what a page shows.

"..." stands for any lines. Numbers are compared digit by digit as they are shown. Times, sizes of RAM and the like are
those of a machine: a number before s, ms, min, MB or GB is never compared. In loose blocks blanks may differ, and numbers
of steps, iterations and passes; a decimal number may be 5 % or 0.005 off, one with an exponent a factor 100 (bounds near
rounding); a whole number is compared unless its line says "impossible", "partial", "undecided" or less "of" more, where it
counts what the best memory that was found recalls: 5 %.
"""
import re

NUMBER = re.compile(r"-?\d+(?:[ ]\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")
STEPS = re.compile(r"\d+(?= (?:steps?|iterations?|passes)\b)")
MACHINE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?= (?:s|ms|min|MB|GB)\b)")
FOUND = re.compile(r"\b(impossible|partial|undecided)\b")


def close(shown, come, found):
    if "." not in shown and "e" not in shown and not found:
        return shown == come
    a, b = (float(x.replace(" ", "")) for x in (shown, come))
    if "e" in shown:
        return a * b > 0 and 0.01 < a / b < 100
    return abs(a - b) <= max(0.05 * abs(a), 0.005)


def same(shown, come, loose):
    """One line; " ..." at the end of what is shown stands for any words."""
    if shown.endswith(" ..."):
        words = shown.split()[:-1]
        shown, come = " ".join(words), " ".join(come.split()[:len(words)])
    shown, come = (MACHINE.sub("#", line.rstrip()) for line in (shown, come))
    if shown == come or not loose:
        return shown == come
    shown, come = (STEPS.sub("#", line) for line in (shown, come))
    words = [re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip() for line in (shown, come)]
    if words[0] != words[1]:
        return False
    found = FOUND.search(shown) or any(a != b for a, b in re.findall(r"\b(\d+) of (\d+)\b", shown))
    return all(close(a, b, found) for a, b in zip(NUMBER.findall(shown), NUMBER.findall(come)))


def fits(shown, come, loose=False):
    """Whether the lines that came are those shown."""
    if not shown:
        return not come
    if shown[0].strip() == "...":
        return any(fits(shown[1:], come[k:], loose) for k in range(len(come) + 1))
    return bool(come) and same(shown[0], come[0], loose) and fits(shown[1:], come[1:], loose)
