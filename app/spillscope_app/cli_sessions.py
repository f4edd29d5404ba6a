"""`spillscope sessions`: what there is to look at."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import click

from spillscope.clean import clean
from spillscope.errors import SessionNotFoundError
from spillscope.session.listing import Listed, list_sessions
from spillscope.session.session import iso_time
from spillscope_app.cli_limits import agent_config_dir
from spillscope_app.report_table import table


@click.command("sessions")
@click.argument("root", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
def sessions_command(root: Path | None, as_json: bool) -> None:
    """List the sessions below ROOT: a projects root or a project's folder, by default the agent's own."""
    folder = root if root is not None else agent_config_dir() / "projects"
    if root is not None and (root / "projects").is_dir():
        folder = root / "projects"
    if not folder.is_dir():
        raise SessionNotFoundError(f"no such folder: {folder}: give the folder that holds the agent's projects")
    listed = list_sessions(folder, time.time())
    if as_json:
        click.echo(json.dumps([_entry(session) for session in listed], ensure_ascii=True))
        return
    rows = list(map(_row, sorted(listed, key=lambda session: -session.last_write)))
    head = ("session", "where", "model", "last write", "bytes", "context")
    for line in table([head, *rows], "<<<<>>") if rows else _nothing(folder):
        click.echo(line)


def _nothing(folder: Path) -> Iterator[str]:
    yield clean(f"no sessions below {folder}")


def _entry(session: Listed) -> dict[str, object]:
    return {
        "id": session.id,
        "project": session.project,
        "cwd": session.cwd,
        "path": session.path,
        "model": session.model,
        "lastWrite": iso_time(session.last_write),
        "bytes": session.bytes,
        "contextTokens": session.context_tokens,
        "live": session.live,
    }


def _row(session: Listed) -> tuple[str, ...]:
    written = iso_time(session.last_write) or ""
    return (
        clean(session.id),
        clean(session.cwd or session.project),
        clean(session.model or ""),
        written[:16].replace("T", " ") + (" live" if session.live else ""),
        f"{session.bytes:,}",
        "" if session.context_tokens is None else f"{session.context_tokens:,}",
    )
