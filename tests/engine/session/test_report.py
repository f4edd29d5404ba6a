"""`report --json`: the contract's keys and types, written as they come."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from spillscope.session.report import SECTIONS, sections
from spillscope.session.report_limits import number
from spillscope.session.write import json_text, write_sections
from transcripts import Writer, line, lines, open_session, text, use, wrapper

LONG = "word\n" * 12_000
INT, STR, NUM, BOOL = (int,), (str,), (int, float), (bool,)
NONE = type(None)


def rich(folder: Path) -> Path:
    """A session in which every section has something to say."""
    writer = Writer()
    spills = folder / writer.session / "tool-results"
    spills.mkdir(parents=True)
    (spills / "t1.txt").write_text(LONG)
    writer.prompt()
    writer.call("Bash", "t1", wrapper(LONG, str(spills / "t1.txt")), usage=50_000)
    writer.say(use("Read", "t2", {"file_path": str(spills / "t1.txt")}), usage=1_000)
    writer.result("t2", "x" * 70_000)
    writer.call("Bash", "t3", "x" * 30_001, usage=2_000)
    writer.boundary(preTokens=50_000, postTokens=900)
    writer.say(text("Side."), isSidechain=True, move=False)
    writer.put("orbit", {})
    writer.call("Glob", "t4", "lone \ud83d", usage=3_000)
    agents = folder / writer.session / "subagents"
    agents.mkdir()
    (agents / "agent-acompact-0a1b2c.jsonl").write_bytes(line({"type": "user"}))
    path = folder / f"{writer.session}.jsonl"
    path.write_bytes(lines(writer.records) + b"bad line\n")
    return path


def whole(path: Path, only: frozenset[str] | None = None) -> dict[str, Any]:
    session = open_session(path)
    return dict(sections(session, session.refresh(), only))


def written(path: Path, only: frozenset[str] | None = None) -> bytes:
    session = open_session(path)
    return b"".join(write_sections(sections(session, session.refresh(), only)))


def plain(value: object) -> object:
    return list(value) if isinstance(value, Iterator) else value


RESULT: dict[str, Any] = {
    "toolUseId": STR, "tool": STR, "label": STR, "chars": INT, "charsSource": STR, "tokens": INT, "state": (str, NONE),
    "fate": STR, "layer": (int, NONE), "rule": STR, "threshold": (int, str), "observed": STR, "spill": (dict, NONE),
    "drift": (str, NONE),
}  # fmt: skip
GROUP: dict[str, Any] = {
    "index": INT, "assistantId": (str, NONE), "timestamp": STR, "limit": INT, "frozen": INT, "fresh": INT, "reapplied": INT,
    "exempt": INT, "visible": INT, "overBudget": BOOL, "live": BOOL, "chars": INT, "modelChars": INT, "results": [RESULT],
}  # fmt: skip
SCORE: dict[str, Any] = {
    "n": INT, "median": (float, NONE), "medianAbs": (float, NONE), "p90Abs": (float, NONE), "factor": (float,),
}  # fmt: skip
CONTRACT: dict[str, Any] = {
    "schema": STR,
    "session": {
        "id": STR, "path": STR, "agent": STR, "version": STR, "model": STR, "cwd": STR, "started": STR, "lastWrite": STR,
        "records": INT, "bytes": INT, "skippedLines": [{"line": INT, "offset": INT, "reason": STR}],
        "unknownTypes": {"orbit": INT},
        "compactions": [{"at": STR, "trigger": STR, "preTokens": INT, "postTokens": INT}],
        "sidechains": [{"agentId": (str, NONE), "path": STR, "records": INT, "contextTokens": INT}],
    },
    "limits": {
        "default_threshold": INT, "message_budget": INT, "aggregate": BOOL, "preview_chars": INT, "window": (int, NONE),
        "auto_compact_pct": (int, float, NONE), "declared": {"Read": STR, "Bash": INT}, "overrides": {},
        "sources": {"message_budget": STR, "aggregate": STR}, "aggregateEvidence": STR,
    },
    "context": {
        "tokens": INT, "usage": INT, "estimate": INT, "estimateBpe": (int, NONE), "band": [INT], "anchorUuid": STR,
        "estimateFitted": INT, "residual": (NONE, {"tokens": INT, "band": [INT]}),
        "window": INT, "windowSource": STR, "effective": INT, "warning": INT, "autoCompact": INT, "blocking": INT,
        "percentUsed": (float,), "percentLeft": INT, "forecast": (dict, NONE),
    },
    "groups": [GROUP],
    "pending": GROUP,
    "tools": [{
        "name": STR, "calls": INT, "chars": INT, "p50": INT, "p90": INT, "max": INT, "declared": (int, str),
        "override": (int, NONE), "threshold": (int, str), "source": STR, "spilled": INT, "charsSaved": INT, "reread": INT,
    }],
    "spills": [{
        "toolUseId": (str, NONE), "path": STR, "tool": (str, NONE), "bytes": (int, NONE), "origin": STR, "exists": BOOL,
        "inside": BOOL, "reread": (int, NONE), "mismatch": (str, NONE),
    }],
    "requests": [{
        "assistantId": STR, "timestamp": STR, "usage": INT, "input": INT, "estimateBefore": INT,
        "cacheBreak": (NONE, {"lost": INT, "cause": STR}),
    }],
    "calibration": {
        "rough": SCORE, "bpe": SCORE, "fitted": SCORE, "requests": INT, "leftOut": (dict,),
        "models": (dict,),
    },
    "drift": [{"toolUseId": STR, "observed": STR, "engine": STR, "reason": STR}],
    "advice": (list, NONE),
    "totals": {"results": INT, "chars": INT, "visibleChars": INT, "spilled": INT, "replaced": INT, "tokensSaved": INT},
}  # fmt: skip


def hold(value: Any, shape: Any, at: str) -> None:
    """Assert that a value has the keys and types of a shape."""
    if isinstance(shape, dict):
        assert isinstance(value, dict), at
        assert set(shape) <= set(value), f"{at}: {set(shape) - set(value)} missing"
        for key, inner in shape.items():
            hold(value[key], inner, f"{at}.{key}")
    elif isinstance(shape, list):
        assert isinstance(value, list), at
        assert value, f"{at}: nothing to look at"
        for item in value:
            hold(item, shape[0], f"{at}[]")
    elif isinstance(value, dict) and any(isinstance(kind, dict) for kind in shape):
        hold(value, next(kind for kind in shape if isinstance(kind, dict)), at)
    else:
        assert type(value) in shape, f"{at}: {value!r}"


def test_every_key_of_the_contract_is_there_with_its_type(tmp_path: Path) -> None:
    report = json.loads(written(rich(tmp_path)))
    assert report["schema"] == "spillscope.report/1"
    assert list(report) == ["schema", *SECTIONS]
    hold(report, CONTRACT, "report")


def test_it_is_written_as_it_would_be_as_a_whole(tmp_path: Path) -> None:
    path = rich(tmp_path)
    at_once = {name: plain(section) for name, section in whole(path).items()}
    assert orjson.loads(written(path)) == json.loads(json.dumps(at_once))


def test_long_sections_come_piece_by_piece(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    for at in range(50):
        writer.call("Bash", f"t{at}", "out")
    session = open_session(writer.save(tmp_path))
    pieces = list(write_sections(sections(session, session.refresh())))
    assert max(map(len, pieces)) < 2_000
    assert len(pieces) > 100


def test_lone_surrogates_leave_escaped(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.say(use("Bash", "t\udc00", {"command": "ls"}))
    writer.result("t\udc00", "日本")
    writer.prompt(cwd="/srv/\ud83d")
    out = written(writer.save(tmp_path))
    assert b'"/srv/\\ud83d"' in out
    report = json.loads(out.decode())
    assert report["pending"]["results"][0]["toolUseId"] == "t\udc00"


@pytest.mark.parametrize("value", [None, True, 5, 1.5, '日本 🎉 \n"', [1, {"a": [2]}], {"b": "\x00"}])
def test_other_values_are_compact_json_in_utf_8(value: object) -> None:
    assert json_text(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    ("value", "shown"), [(None, None), (5, 5), (5.0, 5), (1.5, 1.5), (float("inf"), "inf"), (10**12, 10**12)]
)
def test_limits_as_json(value: float | None, shown: object) -> None:
    assert number(value) == shown
    assert type(number(value)) is type(shown)


@pytest.mark.parametrize("name", SECTIONS)
def test_one_section_alone_is_what_it_is_in_the_whole(tmp_path: Path, name: str) -> None:
    path = rich(tmp_path)
    alone = json.loads(written(path, frozenset({name})))
    assert set(alone) == {"schema", name}
    assert alone[name] == json.loads(written(path))[name]


def test_sections_that_are_left_out_cost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = rich(tmp_path)

    def fail(*words: object) -> None:
        raise AssertionError("asked for nothing")

    for maker in ("session_section", "tools_section", "spills_section", "requests_section", "group_entry"):
        monkeypatch.setattr(f"spillscope.session.report.{maker}", fail)
    assert set(json.loads(written(path, frozenset({"totals", "context"})))) == {"schema", "context", "totals"}


def test_an_empty_session_has_every_section(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    report = json.loads(written(path))
    assert list(report) == ["schema", *SECTIONS]
    assert (report["groups"], report["pending"], report["session"]["records"], report["session"]["started"]) == (
        [],
        None,
        0,
        None,
    )


class TestWhatItSays:
    @pytest.fixture
    def report(self, tmp_path: Path) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(written(rich(tmp_path)))
        return found

    def test_of_the_session(self, report: dict[str, Any]) -> None:
        session = report["session"]
        assert session["unknownTypes"] == {"orbit": 1}
        assert [(skipped["line"], skipped["reason"][:7]) for skipped in session["skippedLines"]] == [(14, "no JSON")]
        assert session["skippedLines"][0]["offset"] == session["bytes"] - len(b"bad line\n")
        compaction = session["compactions"][0]
        assert (compaction["trigger"], compaction["preTokens"], compaction["postTokens"]) == ("auto", 50_000, 900)
        assert compaction["at"].startswith("2026-01-02T03:")
        assert [(chain["agentId"], chain["records"], chain["helper"]) for chain in session["sidechains"]] == [
            ("acompact-0a1b2c", 1, True),
            (None, 1, False),
        ]

    def test_of_groups(self, report: dict[str, Any]) -> None:
        assert [group["live"] for group in report["groups"]] == [False, False, False]
        assert [group["index"] for group in report["groups"]] == [0, 1, 2]
        assert report["groups"][0]["results"][0]["spill"]["exists"] is True
        assert report["groups"][1]["results"][0]["threshold"] == "inf"
        assert report["groups"][2]["assistantId"] is None
        assert report["pending"]["live"] is True

    def test_of_drift(self, report: dict[str, Any]) -> None:
        assert [(entry["toolUseId"], entry["observed"], entry["engine"]) for entry in report["drift"]] == [
            ("t3", "inline", "persisted")
        ]

    def test_of_what_was_read_back(self, report: dict[str, Any]) -> None:
        assert [spill["reread"] for spill in report["spills"]] == [1]
        assert {tool["name"]: tool["reread"] for tool in report["tools"]} == {"Bash": 1, "Glob": 0, "Read": 0}

    def test_of_cache_breaks(self, report: dict[str, Any]) -> None:
        assert [request["cacheBreak"] for request in report["requests"]] == [
            None,
            {"lost": 49_000, "cause": "unknown", "rewritten": 0, "cost": 0.0, "about": []},
            None,
            None,
        ]

    def test_of_totals(self, report: dict[str, Any]) -> None:
        totals = report["totals"]
        assert (totals["results"], totals["spilled"], totals["replaced"]) == (4, 2, 0)
        assert totals["chars"] == 60_000 + 70_000 + 30_001 + 6
