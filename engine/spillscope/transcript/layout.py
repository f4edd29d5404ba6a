"""Where an agent keeps its sessions, and what a path of the user's means (spec S1, S10)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from spillscope.errors import SessionNotFoundError

TOOL_RESULTS = "tool-results"
SUBAGENTS = "subagents"
HELPER_AGENTS = ("acompact-", "aprompt_suggestion-")
"""S10: forks that repeat their parent's context."""


@dataclass(frozen=True, slots=True)
class Place:
    """A session's file and the folders that belong to it.

    `directory`: `<session>/`, which may not exist. `parents`: session directories of the sessions that this one is a
    sub-agent of. `project`: the folder that holds the sessions of one project.
    """

    path: Path
    id: str
    directory: Path
    project: Path
    parent: Path | None = None
    agent_id: str | None = None

    @property
    def tool_results(self) -> Path:
        return self.directory / TOOL_RESULTS

    @property
    def config_dir(self) -> Path | None:
        """`<config>` where the layout is the agent's own (`<config>/projects/<slug>/…`), else None."""
        root = self.project.parent
        return root.parent if root.name == "projects" else None


@dataclass(frozen=True, slots=True)
class Target:
    """What the user pointed at: one session, or a folder to choose from."""

    kind: Literal["session", "project", "root"]
    path: Path
    place: Place | None


def default_config_dir(environ: Mapping[str, str]) -> Path:
    """S1: `CLAUDE_CONFIG_DIR`, or `~/.claude`."""
    named = environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else Path.home() / ".claude"


def slug_of(cwd: str) -> str:
    """The folder name that the agent gives a working directory: lossy, so never shown."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in cwd)


def place_of(path: Path) -> Place:
    """The folders that belong to a transcript, from its path alone."""
    name = path.name.removesuffix(".jsonl").removesuffix(".json")
    agent_id = name.removeprefix("agent-") if name.startswith("agent-") else None
    for folder in path.parents if agent_id is not None else ():
        if folder.name == SUBAGENTS:
            session = folder.parent
            return Place(path, name, session, session.parent, session, agent_id)
    return Place(path, name, path.parent / name, path.parent, None, agent_id)


def transcripts_in(project: Path) -> list[Path]:
    """The main transcripts of one project folder, newest first; sub-agents of older versions are left out."""
    found: list[tuple[int, Path]] = []
    with os.scandir(project) as entries:
        for entry in entries:
            if entry.name.endswith(".jsonl") and not entry.name.startswith("agent-") and entry.is_file():
                found.append((entry.stat().st_mtime_ns, project / entry.name))
    return [path for _, path in sorted(found, key=lambda item: (-item[0], item[1].name))]


def projects_in(root: Path) -> list[Path]:
    """The project folders below a projects root, by name."""
    with os.scandir(root) as entries:
        return sorted(root / entry.name for entry in entries if entry.is_dir())


def sidechain_files(place: Place) -> Iterator[Path]:
    """The transcripts of a session's sub-agents, helper forks included, by name."""
    if place.agent_id is not None:
        return
    folder = place.directory / SUBAGENTS
    if folder.is_dir():
        yield from sorted(path for path in folder.rglob("agent-*.jsonl") if path.is_file())


def beside_agents(place: Place) -> list[Path]:
    """Sub-agent files of 2.0.x, which stand beside the main transcripts of all sessions of a project."""
    if place.agent_id is not None or not place.project.is_dir():
        return []
    return sorted(path for path in place.project.glob("agent-*.jsonl") if path.is_file())


def is_helper(agent_id: str) -> bool:
    """S10: a fork that repeats its parent's context and is no work of the session."""
    return agent_id.startswith(HELPER_AGENTS)


def resolve(path: Path) -> Target:
    """S1: a transcript, a session directory, a project directory, a projects root, or a file of plain messages.

    A relative path is made absolute: the folders around a session count. Raises SessionNotFoundError, in words for the user,
    when it is none of them.
    """
    path = path.resolve() if ".." in path.parts else path.absolute()
    if path.is_file():
        return Target("session", path, place_of(path))
    if path.is_dir():
        return _resolve_folder(path)
    transcript = path.with_name(path.name + ".jsonl")
    if transcript.is_file():  # a session that has no directory of its own yet
        return Target("session", transcript, place_of(transcript))
    if path.exists():
        raise SessionNotFoundError(f"not a file or a folder: {path}: give a transcript or a session directory")
    raise SessionNotFoundError(f"no such session: {path}: give a transcript, a session or a project directory")


def _resolve_folder(path: Path) -> Target:
    transcript = path.parent / f"{path.name}.jsonl"
    if path.name and transcript.is_file():
        return Target("session", transcript, place_of(transcript))
    transcripts = transcripts_in(path)
    if transcripts:
        return Target("project", path, place_of(transcripts[0]))
    if (path / "projects").is_dir():
        return Target("root", path / "projects", None)
    if any(map(_holds_transcripts, projects_in(path))):
        return Target("root", path, None)
    raise SessionNotFoundError(f"no session in: {path}: give a folder that holds transcripts (*.jsonl)")


def _holds_transcripts(folder: Path) -> bool:
    try:
        return bool(transcripts_in(folder))
    except OSError:
        return False
