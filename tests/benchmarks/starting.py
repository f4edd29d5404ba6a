"""What an agent waits for when it calls us: whole processes, against an interpreter that starts and ends."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks.generate import write_transcript
from benchmarks.measure import Figure, in_turn, timed

MB = 1_000_000


def starting_figures(home: Path, megabytes: int, rounds: int, environment: Mapping[str, str]) -> list[Figure]:
    """The hook on a result that stays and on one that is spilled anew each time, the status line of a large transcript."""
    transcript = home / "projects" / "-srv-app" / "large.jsonl"
    transcript.parent.mkdir(parents=True)
    write_transcript(transcript, megabytes * MB)
    spillscope = Path(sys.executable).with_name("spillscope")
    numbers = count()

    def run(command: tuple[str | Path, ...], stdin: bytes = b"") -> None:
        subprocess.run(command, input=stdin, check=True, env=environment, capture_output=True)

    def hook(chars: int) -> None:
        run((spillscope, "hook"), _event(transcript, f"toolu_{chars}_{next(numbers)}", chars))

    works = (
        partial(run, (sys.executable, "-c", "pass")),
        partial(hook, 1_000),
        partial(hook, 100_000),
        partial(run, (spillscope, "statusline"), json.dumps({"transcript_path": str(transcript)}).encode()),
    )
    bare, small, large, line = in_turn(rounds, *(partial(timed, work) for work in works))
    return [
        Figure("hook, a small result / python -c pass", small, bare, "s", 8),
        Figure("hook, a spilled result / python -c pass", large, bare, "s", 9),
        Figure(f"statusline at {megabytes} MB / python -c pass", line, bare, "s", 10),
    ]


def _event(transcript: Path, tool_use_id: str, chars: int) -> bytes:
    event = {
        "hook_event_name": "PostToolUse",
        "transcript_path": str(transcript),
        "cwd": str(transcript.parent),
        "tool_name": "Bash",
        "tool_use_id": tool_use_id,
        "tool_response": {"stdout": "x" * chars, "stderr": "", "interrupted": False, "isImage": False},
    }
    return json.dumps(event).encode()
