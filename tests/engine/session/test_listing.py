"""`sessions`: many sessions at a glance, from their heads and tails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spillscope.session import listing
from spillscope.session.listing import Listed, agent_files, find_sessions, list_sessions, look_at, newer_session
from spillscope.tokens.calibration import band
from spillscope.tokens.priors import find_prior
from transcripts import MODEL, Writer, lines, text, use

NOW = 1_800_000_000.0
PRIOR = find_prior(MODEL)


def save(path: Path, data: bytes, age: float = 600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (NOW - age, NOW - age))
    return path


def session(usage: int = 1_000) -> Writer:
    writer = Writer()
    writer.prompt("Look.")
    writer.call("Bash", "t1", "x" * 400, usage=usage)
    return writer


def listed(root: Path) -> list[Listed]:
    return list(list_sessions(root, NOW))


def test_one_session(tmp_path: Path) -> None:
    data = lines(session().records)
    path = save(tmp_path / "-srv-app" / "s1.jsonl", data)
    most = 1_000 + round(band(100 * PRIOR.rough, (), PRIOR)[1])
    assert most > 1_100
    assert listed(tmp_path) == [
        Listed("s1", "-srv-app", "/srv/app", str(path), MODEL, NOW - 600, len(data), 1_100, most, live=False)
    ]


def test_newest_first_within_each_project(tmp_path: Path) -> None:
    for name, age in (("p1/a", 30), ("p1/b", 20), ("p2/c", 10), ("p2/d", 40)):
        save(tmp_path / f"{name}.jsonl", b"", age)
    save(tmp_path / "p1" / "agent-0a1b.jsonl", b"")
    assert [entry.id for entry in listed(tmp_path)] == ["b", "a", "c", "d"]
    assert [entry.id for entry in listed(tmp_path / "p2")] == ["c", "d"]


@pytest.mark.parametrize(("age", "live"), [(0, True), (59, True), (61, False)])
def test_a_session_written_a_moment_ago_is_live(tmp_path: Path, age: float, live: bool) -> None:
    save(tmp_path / "p" / "s.jsonl", b"", age)
    assert listed(tmp_path)[0].live is live


def test_an_empty_session_has_an_empty_context(tmp_path: Path) -> None:
    save(tmp_path / "p" / "s.jsonl", b"")
    found = listed(tmp_path)[0]
    assert (found.context_tokens, found.model, found.cwd, found.bytes) == (0, None, None, 0)


@pytest.mark.parametrize("data", [b"\0\xff" * 5_000, b"words\n" * 5, b'{"type":"user","mess'])
def test_a_file_that_is_no_transcript_is_listed_all_the_same(tmp_path: Path, data: bytes) -> None:
    save(tmp_path / "p" / "s.jsonl", data)
    assert [(found.model, found.bytes) for found in listed(tmp_path)] == [(None, len(data))]


def test_only_the_head_and_the_tail_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "HEAD_BYTES", 2_000)
    monkeypatch.setattr(listing, "TAIL_BYTES", 2_000)
    first, last = Writer(), session(5_000)
    first.prompt(cwd="/srv/first")
    for record in last.records:
        del record["cwd"]
    data = lines(first.records) + b"x" * 100_000 + b"\n" + lines(last.records)
    path = save(tmp_path / "p" / "s.jsonl", data)
    found = listed(tmp_path)[0]
    assert (found.context_tokens, found.cwd, found.model) == (5_100, "/srv/first", MODEL)
    path.write_bytes(data + b"y" * 10_000 + b"\n")
    assert (listed(tmp_path)[0].context_tokens, listed(tmp_path)[0].model) == (None, None)


def test_a_context_without_usage_in_a_cut_tail_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = session()
    for number in range(50):
        writer.prompt(f"More {number}.")
    save(tmp_path / "p" / "s.jsonl", lines(writer.records))
    assert listed(tmp_path)[0].context_tokens is not None
    monkeypatch.setattr(listing, "TAIL_BYTES", 2_000)
    assert listed(tmp_path)[0].context_tokens is None


def test_a_compaction_begins_the_count_anew(tmp_path: Path) -> None:
    writer = session(90_000)
    writer.boundary()
    save(tmp_path / "p" / "s.jsonl", lines(writer.records))
    assert listed(tmp_path)[0].context_tokens == (len("What was done so far.") + 2) // 4


def test_sidechains_and_synthetic_records_say_nothing(tmp_path: Path) -> None:
    writer = session()
    writer.say(use("Bash", "t9"), usage=70_000, isSidechain=True, model="another")
    writer.say(text("API Error"), model="<synthetic>")
    save(tmp_path / "p" / "s.jsonl", lines(writer.records))
    found = listed(tmp_path)[0]
    assert (found.model, found.context_tokens) == (MODEL, 1_000 + 100 + 2)


def test_what_cannot_be_read_does_not_hide_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        save(tmp_path / "p" / f"{name}.jsonl", b"")
    opened = Path.open

    def refuse(path: Path, *words: object) -> object:
        if path.name == "a.jsonl":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *words)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    assert [found.id for found in listed(tmp_path)] == ["b"]


def test_no_projects_make_an_empty_list(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    assert listed(tmp_path) == []


def test_all_sessions_newest_first_without_opening_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, age in (("p1/a", 30), ("p1/b", 20), ("p2/c", 10), ("p2/d", 40)):
        save(tmp_path / f"{name}.jsonl", b"", age)
    monkeypatch.delattr(Path, "open")
    assert [found.path.stem for found in find_sessions(tmp_path)] == ["c", "b", "a", "d"]
    assert [found.path.stem for found in find_sessions(tmp_path / "p1")] == ["b", "a"]


def test_sub_agents_have_their_own_count_and_helpers_stand_last(tmp_path: Path) -> None:
    path = save(tmp_path / "p" / "s.jsonl", lines(session().records))
    for folder, name, named in (
        ("s/subagents", "acompact-1", "s"),
        ("s/subagents", "z1", "s"),
        (".", "b2", "s"),
        (".", "c3", "q"),
    ):
        writer = Writer(session=named)
        writer.prompt(isSidechain=True)
        writer.say(usage=7_000, isSidechain=True)
        save(tmp_path / "p" / folder / f"agent-{name}.jsonl", lines(writer.records))
    agents = [look_at(file, NOW) for file in agent_files(path.parent)["s"]]
    assert [agent.id for agent in agents] == ["agent-b2", "agent-z1", "agent-acompact-1"]
    assert {agent.context_tokens for agent in agents} == {7_000}
    assert {agent.project for agent in agents} == {"p"}
    assert [file.stem for file in agent_files(path.parent)["q"]] == ["agent-c3"]


def test_a_newer_session_is_one_that_is_live_and_began_later(tmp_path: Path) -> None:
    def begun(name: str, hour: int, age: float) -> Path:
        writer = Writer()
        writer.prompt(timestamp=f"2026-01-02T{hour:02d}:00:00.000Z")
        return save(tmp_path / "p" / f"{name}.jsonl", lines(writer.records), age)

    own = begun("own", 3, 0)
    begun("earlier", 2, 0)
    assert newer_session(own, NOW) is None
    begun("quiet", 9, 100)
    assert newer_session(own, NOW) is None
    later = begun("later", 5, 5)
    save(tmp_path / "p" / "empty.jsonl", b"", 0)
    assert newer_session(own, NOW) == later
    assert newer_session(later, NOW) is None
    assert newer_session(tmp_path / "none" / "x.jsonl", NOW) is None
