"""The demo's process: it owns a temporary folder, and lives as long as its standard input is open.

Its first line on standard output is the path of the session that it is about to write. Whatever becomes of its parent, the
system closes the pipe: then the folder is removed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from spillscope_app.demo.home import Home
from spillscope_app.demo.loop import play
from spillscope_app.demo.pace import LivePace, Stopped

FOLDER_PREFIX = "spillscope-demo-"


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays until nobody watches any more; the process's exit status."""
    parser = argparse.ArgumentParser(prog="spillscope_app.demo", description=__doc__)
    parser.add_argument("--seed", default="1", help="the same seed tells the same story")
    parser.add_argument("--speed", type=float, default=1.0, help="how many times faster than life")
    options = parser.parse_args(arguments)
    if not options.speed > 0:
        parser.error("--speed: give a number above 0")
    stop = _stop_signal()
    root = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
    try:
        home = Home(root)
        home.furnish()
        play(home, options.seed, LivePace(options.speed, stop), _announce)
    except (Stopped, BrokenPipeError):
        pass
    finally:
        shutil.rmtree(root)
    return 0


def _stop_signal() -> threading.Event:
    """Set when standard input ends, or when somebody asks the process to."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    threading.Thread(target=_wait_for_end, args=(stop,), daemon=True).start()
    return stop


def _wait_for_end(stop: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    stop.set()


def _announce(transcript: Path) -> None:
    sys.stdout.buffer.write(os.fsencode(transcript) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
