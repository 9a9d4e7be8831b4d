"""progress=True: a bar of tqdm where it is installed, otherwise a line on the terminal."""

from __future__ import annotations

import sys
from typing import Any, Optional


class Bar:
    """A progress function. `close` ends its line."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: Optional[Any] = None
        self._written = False
        try:
            from tqdm.auto import tqdm

            self._tqdm: Any = tqdm
        except ImportError:
            self._tqdm = None

    def __call__(self, stage: str, done: float, total: float) -> None:
        if self._tqdm is None:
            self._line(stage, done, total)
            return
        if self._bar is None or stage != self._stage:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(total=total, desc=stage, leave=False, bar_format="{desc}: {percentage:3.0f}% |{bar}| {elapsed}<{remaining}")
        self._bar.total = total
        self._bar.n = min(done, total)
        self._bar.refresh()

    def _line(self, stage: str, done: float, total: float) -> None:
        if sys.stderr is None or not sys.stderr.isatty():
            return
        share = f" {100 * min(done / total, 1.0):.0f} %" if total > 0 else ""
        sys.stderr.write(f"\r\033[K{stage}{share}")
        sys.stderr.flush()
        self._written = True

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        if self._written:
            sys.stderr.write("\r\033[K")
            self._written = False
