"""Work for other processes, which must be able to import it."""

from __future__ import annotations

import os
import time
from pathlib import Path


def sleep_long(notes: str) -> None:
    """Note the process in a file, then sleep."""
    with Path(notes).open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(600)


def own_pid(_: object) -> int:
    return os.getpid()
