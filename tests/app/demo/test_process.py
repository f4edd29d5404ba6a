"""The demo's process: whatever becomes of its parent, it leaves no process and no file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spillscope.errors import SpillscopeError
from spillscope_app.demo import launch
from spillscope_app.demo.home import home_of

SECONDS = 45.0
PARENT = """
import sys
from spillscope_app.demo.launch import running
with running("7", 50.0) as transcript:
    print(transcript, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the demo makes its folder; the test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def wait_until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, f"waited {SECONDS} s for {what}"
        time.sleep(0.01)


def start(*command: str) -> tuple[subprocess.Popen[bytes], Path]:
    """A process whose first line is a transcript's path, when something is in that."""
    process = subprocess.Popen([sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    transcript = Path(os.fsdecode(process.stdout.readline().rstrip(b"\n")))
    wait_until(lambda: transcript.exists() and transcript.stat().st_size > 0, "the transcript")
    return process, transcript


def demo() -> tuple[subprocess.Popen[bytes], Path]:
    return start("-P", "-m", "spillscope_app.demo", "--seed", "7", "--speed", "50")


def test_it_lives_in_a_folder_of_its_own_until_its_pipe_closes(temporary: Path) -> None:
    process, transcript = demo()
    root = home_of(transcript).root
    assert list(temporary.iterdir()) == [root]
    assert root.stat().st_mode & 0o777 == 0o700
    with process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(SECONDS) == 0
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_as_cleanly(temporary: Path, number: signal.Signals) -> None:
    process, _ = demo()
    with process:
        process.send_signal(number)
        assert process.wait(SECONDS) == 0
    assert list(temporary.iterdir()) == []


def test_nobody_who_reads_its_first_line(temporary: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "spillscope_app.demo"],
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=SECONDS,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("kill", [True, False], ids=["killed", "left"])
def test_it_ends_with_its_parent(temporary: Path, kill: bool) -> None:
    parent, _ = start("-c", PARENT)
    with parent:
        if kill:
            parent.kill()
        assert parent.stdin is not None
        parent.stdin.close()
        parent.wait(SECONDS)
        wait_until(lambda: not list(temporary.iterdir()), "the folder to be gone")
        assert parent.stdout is not None
        assert parent.returncode == (-signal.SIGKILL if kill else 0)


def test_a_demo_that_hangs_is_ended_and_cleaned_up_after(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "END_SECONDS", 0.1)
    children: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def remember(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        children.append(popen(*arguments, **options))  # type: ignore[call-overload]
        return children[-1]

    monkeypatch.setattr(subprocess, "Popen", remember)
    with launch.running("7", 50.0) as transcript:
        wait_until(transcript.exists, "the transcript")
        children[0].send_signal(signal.SIGSTOP)
    assert children[0].returncode == -signal.SIGKILL
    assert list(temporary.iterdir()) == []


def test_modules_of_the_current_directory_are_not_the_demos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "random.py").write_text("raise SystemExit('the wrong module')\n")
    monkeypatch.chdir(tmp_path)
    with launch.running("-7", 50.0) as transcript:
        wait_until(transcript.exists, "the transcript")


def test_a_speed_that_is_none_is_told_in_one_line() -> None:
    with (
        pytest.raises(SpillscopeError, match=r"does not start: .*--speed: give a number above 0"),
        launch.running("7", float("nan")),
    ):
        raise AssertionError("it started")


def test_it_loads_no_screen() -> None:
    program = "import sys, spillscope_app.demo.__main__; print({'textual', 'click', 'watchfiles'} & set(sys.modules) or 'none')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=SECONDS)
    assert done.stdout.strip() == "none"


def test_a_demo_that_does_not_start_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'Traceback' >&2\necho 'OSError: no room' >&2\nexit 1\n")
    broken.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(SpillscopeError, match="the demo does not start: OSError: no room"), launch.running("7", 1.0):
        raise AssertionError("it started")
