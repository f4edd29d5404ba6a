"""`spillscope sessions`: a list for people and for scripts."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from spillscope_app.cli import main
from transcripts import MODEL, Writer, lines


def sessions(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["sessions", *map(str, words)])


def complaint(result: Result) -> str:
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "home" / ".claude" / "projects"
    for name, stamp in (("-srv-app/one", 1_700_000_000), ("-srv-lib/two", 1_700_000_500)):
        writer = Writer()
        writer.prompt("x" * 40)
        writer.say(usage=4_000)
        path = root / f"{name}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(lines(writer.records))
        os.utime(path, (stamp, stamp))
    return root


def test_as_json(root: Path) -> None:
    result = sessions(root, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    path = root / "-srv-app" / "one.jsonl"
    assert found[0] == {
        "id": "one",
        "project": "-srv-app",
        "cwd": "/srv/app",
        "path": str(path),
        "model": MODEL,
        "lastWrite": "2023-11-14T22:13:20.000Z",
        "bytes": path.stat().st_size,
        "contextTokens": 4_000,
        "live": False,
    }
    assert [entry["id"] for entry in found] == ["one", "two"]


def test_as_a_table_the_newest_first(root: Path) -> None:
    rows = [row.split() for row in sessions(root).stdout.splitlines()]
    assert rows[0] == ["session", "where", "model", "last", "write", "bytes", "context"]
    assert [row[0] for row in rows[1:]] == ["two", "one"]
    assert rows[2][1:5] == ["/srv/app", MODEL, "2023-11-14", "22:13"]
    assert rows[2][-1] == "4,000"


@pytest.mark.parametrize("where", ["", "..", "-srv-app"])
def test_a_root_its_parent_or_a_project(root: Path, where: str) -> None:
    found = json.loads(sessions(root / where, "--json").stdout)
    assert [entry["id"] for entry in found] == (["one"] if where == "-srv-app" else ["one", "two"])


def test_without_a_root_the_agents_own(root: Path) -> None:
    assert len(json.loads(sessions("--json").stdout)) == 2


def test_a_live_session_says_so(root: Path) -> None:
    (root / "-srv-app" / "now.jsonl").write_bytes(b"")
    assert [entry["live"] for entry in json.loads(sessions(root, "--json").stdout)] == [True, False, False]
    assert re.search(r"^now .* live ", sessions(root).stdout, re.MULTILINE)


def test_no_sessions(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert json.loads(sessions(tmp_path / "empty", "--json").stdout) == []
    result = sessions(tmp_path / "empty")
    assert (result.exit_code, result.stdout) == (0, f"no sessions below {tmp_path / 'empty'}\n")


def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    assert "no such folder: " in complaint(sessions(tmp_path / "nowhere"))
    assert "no such folder: " in complaint(sessions())


def test_a_root_that_is_a_file(root: Path) -> None:
    assert "no such folder: " in complaint(sessions(root / "-srv-app" / "one.jsonl"))


def test_nothing_raw_of_a_hostile_session(root: Path) -> None:
    evil = "\x1b[2J\x9b1m\u202e\r\x07"
    writer = Writer()
    writer.prompt(cwd=evil)
    writer.say(model=evil, cwd=evil, usage=5)
    (root / "-srv-app" / f"{evil}.jsonl").write_bytes(lines(writer.records))
    out = sessions(root).stdout
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
    assert "␛[2J" in out
    assert json.loads(sessions(root, "--json").stdout)[0]["cwd"] == evil


def test_a_file_that_is_no_transcript_does_not_hide_the_others(root: Path) -> None:
    (root / "-srv-app" / "binary.jsonl").write_bytes(b"\0\xff" * 9_000)
    found = json.loads(sessions(root, "--json").stdout)
    assert {entry["id"]: entry["model"] for entry in found} == {"binary": None, "one": MODEL, "two": MODEL}
