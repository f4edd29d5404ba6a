"""What the commands share that an agent calls and waits for: a bound on their time, and their complaints."""

from __future__ import annotations

import os
import sys
import threading

from spillscope.clean import clean
from spillscope.errors import SpillscopeError, one_line


class Deadline:
    """Ends the process, with status 0 and a line on stderr, unless it was met after so many seconds.

    A thread of its own keeps the time, so that a disk that hangs can't hold it up.
    """

    def __init__(self, seconds: float, words: str) -> None:
        self._words = words
        self._open = threading.Lock()
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._timer.start()

    def met(self) -> None:
        """From here on the process may take its time. Where it was too late already, this doesn't return."""
        self._open.acquire()
        self._timer.cancel()

    def _end(self) -> None:
        if self._open.acquire(blocking=False):
            sys.stderr.write(f"{self._words}\n")
            sys.stderr.flush()
            os._exit(0)


def complain(who: str, trouble: BaseException | str) -> None:
    """One line on stderr: `who` is the command, with what it made of the trouble."""
    if isinstance(trouble, SpillscopeError):
        trouble = str(trouble)
    elif isinstance(trouble, Exception):
        trouble = one_line(trouble)
    elif isinstance(trouble, BaseException):
        trouble = "interrupted"
    sys.stderr.write(f"spillscope {who}: {clean(' '.join(trouble.split()))}\n")
