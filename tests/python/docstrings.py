"""The examples in the docstrings, run.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/docstrings.py"""

import doctest
import importlib
import os
import pkgutil
import sys
import tempfile

import ireneo


def main():
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    wanting = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # examples may write files
        for module in [m.name for m in pkgutil.iter_modules(ireneo.__path__) if m.name != "libireneo"]:
            if module == "plots":
                try:
                    import matplotlib

                    matplotlib.use("Agg")
                except ImportError:
                    continue
            for test in finder.find(importlib.import_module(f"ireneo.{module}")):
                runner.run(test)
        os.chdir("/")
    for room in (ireneo, ireneo.dense, ireneo.attention):
        for name in room.__all__:
            thing = getattr(room, name)
            if callable(thing) and not isinstance(thing, type) and ">>>" not in (thing.__doc__ or ""):
                wanting.append(f"{room.__name__}.{name}")
    print(f"{runner.tries} examples, {runner.failures} failures; without an example: {', '.join(wanting) or 'none'}")
    return 1 if runner.failures or runner.tries < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
