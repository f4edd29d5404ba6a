"""`spillscope --demo`: the inspector beside the demo's process, which ends with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spillscope.errors import SpillscopeError
from spillscope_app import inspector
from spillscope_app.cli_limits import LimitsRequest
from spillscope_app.demo.home import home_of

END_SECONDS = 5.0
"""How long the demo may take to clean up before it is ended and cleaned up after."""


def show(seed: str, speed: float, *, ascii_only: bool) -> int:
    """Runs both until the user leaves; the inspector's exit status."""
    with running(seed, speed) as transcript:
        # The demo's agent obeys its own limits file and no other; so must who reads along.
        limits = LimitsRequest((home_of(transcript).limits_file,), alone=True)
        return inspector.run(transcript, limits, inspector.Options(follow_project=True, ascii=ascii_only))


@contextmanager
def running(seed: str, speed: float) -> Iterator[Path]:
    """The demo's process, and the transcript that it is about to write. Raises SpillscopeError when it does not start."""
    command = [sys.executable, "-P", "-m", "spillscope_app.demo", f"--seed={seed}", f"--speed={speed}"]
    pipe = subprocess.PIPE
    # A session of its own: what the terminal sends to its foreground must not end it before the inspector has left.
    child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    root: Path | None = None
    try:
        transcript = _first_line(child)
        root = home_of(transcript).root
        yield transcript
    finally:
        _end(child, root)


def _first_line(child: subprocess.Popen[bytes]) -> Path:
    assert child.stdout is not None
    assert child.stderr is not None
    line = child.stdout.readline()
    if not line:
        said = child.stderr.read().decode(errors="replace").strip().split("\n")
        raise SpillscopeError(
            f"the demo does not start: {said[-1] or 'it says nothing'}: is there room in the temporary folder?"
        )
    return Path(os.fsdecode(line.removesuffix(b"\n")))


def _end(child: subprocess.Popen[bytes], root: Path | None) -> None:
    """Closes the pipe, which tells the demo to clean up and end, and sees to it that it did."""
    assert child.stdin is not None
    child.stdin.close()
    try:
        child.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
    with child:  # closes the other pipes and takes the exit status
        pass
    if root is not None:
        shutil.rmtree(root, ignore_errors=True)
