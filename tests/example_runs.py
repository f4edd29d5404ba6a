"""The examples as processes of their own, in a folder of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from api_server import Json

EXAMPLES = Path(__file__).parents[1] / "engine/examples"
LIMITS = "message_budget = 3000\npreview_chars = 100\n[overrides]\nBash = 1000\n"
SECONDS = 120


class Runs:
    """Runs of one example against a server of this machine. `folder` has small limits of its own."""

    def __init__(self, command: Sequence[str], folder: Path, url: str) -> None:
        self.command = command
        self.folder = folder
        (folder / ".spillscope.toml").write_text(LIMITS)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")},
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "sk-test",
            "no_proxy": "127.0.0.1",
        }

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Its process, whose id is in the folder's `.pid`, for whoever is to kill it."""
        command = [*self.command, str(self.folder), *words]
        process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        (self.folder / ".pid").write_text(str(process.pid))
        return process

    def run(self, *words: str) -> str:
        """What it said; it must have ended well."""
        process = self.begin(*words)
        output, errors = process.communicate(timeout=SECONDS)
        assert process.returncode == 0, errors
        return output


def ends_killed(process: subprocess.Popen[str]) -> bool:
    process.communicate(timeout=SECONDS)
    return process.returncode == -signal.SIGKILL


def shell(size: int, mark: str) -> tuple[str, Json]:
    """A call of that tool, whose result has that many units."""
    return "Bash", {"command": f"printf %{size}s {mark}"}


KILL: tuple[str, Json] = ("Bash", {"command": "kill -9 $(cat .pid); sleep 1"})
"""A call in which the agent dies."""


def over_both() -> list[tuple[str, Json]]:
    """A result over its tool's threshold, and four that are together over the budget of a message."""
    return [shell(1_500, "a"), *(shell(900 + at, "b") for at in range(4))]
