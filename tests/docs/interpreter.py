"""Plays the Python blocks of a page in one namespace, as a reader would type them. One JSON object a line on stdin, {"code"},
and one on stdout, {"printed", "error"}."""
import contextlib
import io
import json
import sys
import traceback

answers, sys.argv = sys.stdout, [""]
names = {"__name__": "__main__"}
for line in sys.stdin:
    printed, error = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(json.loads(line)["code"], "<block>", "exec"), names)
        except BaseException:  # also sys.exit
            error = traceback.format_exc(limit=-3)
    print(json.dumps({"printed": printed.getvalue(), "error": error}), file=answers, flush=True)
