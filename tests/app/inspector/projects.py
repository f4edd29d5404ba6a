"""Folders of sessions for tests, each written to at a known time."""

from __future__ import annotations

import os
from pathlib import Path

from app.inspector.readings import NOW
from transcripts import Writer, lines

MINUTE = 60.0


def save(path: Path, writer: Writer, age: float) -> Path:
    """A transcript that was last written to `age` seconds before now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(writer.records))
    os.utime(path, (NOW - age, NOW - age))
    return path


def session(cwd: str, usage: int, model: str = "claude-opus-4-6", hour: int = 3) -> Writer:
    """A short conversation in a directory, with a context of about `usage` tokens."""
    writer = Writer()
    writer.prompt(cwd=cwd, timestamp=f"2026-01-01T{hour:02d}:00:00.000Z")
    writer.say(usage=usage, model=model, cwd=cwd)
    return writer


def agent(usage: int) -> Writer:
    """A sub-agent's conversation."""
    writer = Writer()
    writer.prompt(isSidechain=True)
    writer.say(usage=usage, model="claude-haiku-4-5", isSidechain=True)
    return writer


def several(root: Path) -> Path:
    """Two projects: a live session with three sub-agents, one that is nearly full, an unknown model, an empty one."""
    tides = root / "-home-user-tide-tables"
    save(tides / "3f2a9c1e-77aa.jsonl", session("/home/user/tide-tables", 143_200), 2)
    save(tides / "aa10b2c3-0000.jsonl", session("/home/user/tide-tables", 171_000, "claude-sonnet-4-5"), 14 * MINUTE)
    for name, usage in (("1a2b3c4d", 55_100), ("5e6f7a8b", 12_000), ("acompact-99", 140_000)):
        save(tides / "3f2a9c1e-77aa" / "subagents" / f"agent-{name}.jsonl", agent(usage), 5)
    moon = root / "-home-user-moon"
    save(moon / "c0ffee00-1234.jsonl", session("/home/user/月と潮/moon", 80_000, "glm-5"), 3 * 60 * MINUTE)
    save(moon / "deadbeef-5678.jsonl", Writer(), 50 * 60 * MINUTE)
    return root


def many(root: Path, count: int) -> None:
    """That many sessions, the newest with the highest number."""
    for number in range(count):
        save(
            root / f"-p{number % 7}" / f"{number:08x}.jsonl",
            session(f"/srv/p{number % 7}", 1_000 + number),
            60.0 * (count - number),
        )
