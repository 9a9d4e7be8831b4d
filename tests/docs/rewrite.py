"""What a page should show after the program's output has changed: the lines that came, with "..." where it was.

A shown part that is a single "?" becomes the whole output, "? N" its first N lines and "...".
"""
import difflib
import re

from compare import same


def pieces(shown):
    """The runs of lines between "..."."""
    run = []
    for line in shown:
        if line.strip() == "...":
            yield run
            run = []
        else:
            run.append(line)
    yield run


def likeness(a, b):
    return sum(difflib.SequenceMatcher(None, x, y).ratio() for x, y in zip(a, b))


def renew(shown, come, loose):
    """The lines to show, given those shown until now and those that came."""
    asked = re.fullmatch(r"\?(?: (\d+))?", shown[0].strip()) if len(shown) == 1 else None
    if asked:
        return come[:int(asked[1])] + ["..."] if asked[1] and int(asked[1]) < len(come) else come
    runs, at, out = list(pieces(shown)), 0, []
    for number, run in enumerate(runs):
        last = len(come) - len(run)
        if not run:
            start = at
        elif number == 0:
            start = 0
        elif number == len(runs) - 1:
            start = last
        else:
            start = max(range(at, max(at, last) + 1), key=lambda k: likeness(run, come[k:k + len(run)]))
        end = start + len(run) if len(runs) > 1 else len(come)
        fresh = come[start:end]
        out += [old if same(old, new, loose) else new for old, new in zip(run, fresh)] + fresh[len(run):]
        out += ["..."] if number < len(runs) - 1 else []
        at = end
    return out
