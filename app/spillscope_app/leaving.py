"""How the inspector ends when somebody else ends it: the terminal as it was, and no process left behind."""

from __future__ import annotations

import os
import signal
import sys
import termios
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable
from types import FrameType

SIGNAL_STATUS = 128
"""A process that a signal ended has this plus its number as its status."""
PATIENCE_SECONDS = 3.0
"""A terminal that goes away while it is being restored would hold us up for ever."""


def leave_on_signals(loop: AbstractEventLoop, leave: Callable[[int], object]) -> None:
    """Call `leave` with the exit status when the process is told to end.

    By default these signals would leave the terminal in the alternate screen with the mouse reporting. The handlers are not
    those of the loop, which may be stuck in writing to a terminal that is gone.
    """

    def handle(number: int, _: FrameType | None) -> None:
        status = SIGNAL_STATUS + number
        if is_hung_up():
            os._exit(status)
        watchdog = threading.Timer(PATIENCE_SECONDS, os._exit, (status,))
        watchdog.daemon = True
        watchdog.start()
        loop.call_soon_threadsafe(leave, status)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handle)


def leave_if_hung_up() -> None:
    """End at once where there is no terminal any more and no signal has said so: there is nobody to write to."""
    if is_hung_up():
        os._exit(SIGNAL_STATUS + signal.SIGHUP)


def is_hung_up() -> bool:
    """Whether the terminal that is drawn on was closed."""
    if sys.__stderr__ is None:
        return True
    try:
        termios.tcgetattr(sys.__stderr__.fileno())
    except (termios.error, ValueError, OSError):
        return True
    return False
