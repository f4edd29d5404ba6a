"""R7: every finding has its sentence, and every sentence its ids."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from spillscope.session.advice import advice_on_break, advice_on_result, all_advice, strayed_compactions
from spillscope.session.reading import CacheBreak, Cause
from transcripts import Writer, read, results, use, wrapper


def spilled(writer: Writer, tool: str, tool_use_id: str, arguments: object) -> None:
    writer.say(use(tool, tool_use_id, arguments), usage=1_000)
    writer.result(tool_use_id, wrapper("x" * 60_000))


def test_each_finding_has_its_sentence(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    spilled(writer, "Bash", "cat", {"command": "cat big.log"})
    spilled(writer, "Bash", "find", {"command": "find / -name x"})
    spilled(writer, "Grep", "grep", {"pattern": "fn"})
    spilled(writer, "mcp__x__y", "mcp", {"query": "fn"})
    writer.say(use("Read", "json", {"file_path": "data/tides.json"}), usage=1_000)
    writer.result("json", "[1, 2]" * 5_000)
    writer.say(use("Read", "code", {"file_path": "src/tides.py"}), usage=1_000)
    writer.result("code", "x = 1\n" * 5_000)
    writer.say(usage=1_200)
    reading = read(writer.save(tmp_path))
    found = results(reading)
    assert "Read tool instead of cat" in str(advice_on_result(found["cat"]))
    assert "head -100" in str(advice_on_result(found["find"]))
    assert "Search for less" in str(advice_on_result(found["grep"]))
    assert "twice the tokens" in str(advice_on_result(found["json"]))
    assert advice_on_result(found["mcp"]) is None
    assert advice_on_result(found["code"]) is None
    assert [advice.about for advice in all_advice(reading)] == [("cat",), ("find",), ("grep",), ("json",)]


def test_a_group_over_its_budget(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.say(*(use("Fetch", name, {}) for name in "abcdef"), id="one", usage=1_000)
    for name in "abcdef":
        writer.result(name, name * 45_000)
    writer.say(usage=70_000)
    (advice,) = all_advice(read(writer.save(tmp_path)))
    assert advice.text.startswith("Search in smaller rounds")
    assert set("abcdef") == set(advice.about)


def test_a_compaction_elsewhere_than_expected(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    for number, tokens in enumerate((120_000, 167_500, 191_000)):
        writer.call("Grep", f"g{number}", "found")
        writer.say(usage=tokens, id=f"answer{number}")
        writer.boundary(preTokens=tokens)
    writer.call("Grep", "last", "found")
    reading = read(writer.save(tmp_path))
    assert strayed_compactions(reading) == ["answer0", "answer2"]
    assert [advice.about for advice in all_advice(reading)] == [("answer0", "answer2")]


def test_a_quiet_session_needs_none(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Grep", "a", "found")
    assert all_advice(read(writer.save(tmp_path))) == []


def test_each_cause_of_a_broken_cache_has_its_advice_but_for_the_unknown_one() -> None:
    advice = {cause: advice_on_break(CacheBreak(5_000, cause)) for cause in get_args(Cause)}
    assert advice.pop("unknown") is None
    assert len({*advice.values()} - {None}) == 4
