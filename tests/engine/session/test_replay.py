"""R1, R1a: the engine, run before each request of a session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spillscope.session.reading import Group, Reading
from transcripts import Writer, grouped, read, results, text, use, wrapper


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    writer.prompt()
    return writer


def fan(writer: Writer, *calls: tuple[str, str, object]) -> None:
    """One response with parallel calls: (id, tool, content)."""
    writer.say(*[use(tool, name) for name, tool, _ in calls], usage=1_000)
    for name, _, content in calls:
        writer.result(name, content)


def fates(reading: Reading) -> dict[str, tuple[Any, ...]]:
    return {name: (found.state, found.fate, found.layer, found.rule) for name, found in results(reading).items()}


def states(reading: Reading) -> dict[str, str | None]:
    return {name: found.state for name, found in results(reading).items()}


def sums(group: Group) -> tuple[int, int, int, int, int]:
    return group.frozen, group.fresh, group.reapplied, group.exempt, group.visible


class TestRequests:
    def test_each_new_response_ends_one(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", "out", id="m1")
        writer.call("Bash", "t2", "out", id="m2")
        writer.say(id="m3", usage=5)
        reading = read(writer.save(tmp_path))
        assert [request.assistant_id for request in reading.requests] == ["m1", "m2", "m3"]
        assert grouped(reading) == [["t1"], ["t2"]]
        assert [group.assistant_id for group in reading.groups] == ["m2", "m3"]
        assert reading.pending is None

    def test_a_response_met_again_ends_none(self, tmp_path: Path, writer: Writer) -> None:
        """B2: `X a Y b X c` gives [a] and [b, c]."""
        for name, call in (("X", "a"), ("Y", "b"), ("X", "c")):
            writer.call("Bash", call, "out", id=name)
        writer.say(id="Z")
        reading = read(writer.save(tmp_path))
        assert grouped(reading) == [["a"], ["b", "c"]]
        assert [request.assistant_id for request in reading.requests] == ["X", "Y", "Z"]

    @pytest.mark.parametrize("kind", ["progress", "attachment", "system", "orbit"])
    def test_other_records_change_nothing(self, tmp_path: Path, writer: Writer, kind: str) -> None:
        fan(writer, ("t1", "Bash", "one"), ("t2", "Bash", "two"))
        writer.records.insert(2, {**writer.records[0], "uuid": "x", "type": kind, "parentUuid": "u2"})
        writer.records[3]["parentUuid"] = "x"
        writer.say()
        assert grouped(read(writer.save(tmp_path))) == [["t1", "t2"]]

    def test_prompts_between_results_do_not_part_them(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", "out")
        writer.prompt("And.")
        writer.result("t2", "out")
        writer.say()
        assert grouped(read(writer.save(tmp_path))) == [["t1", "t2"]]

    def test_usage_is_one_a_response(self, tmp_path: Path, writer: Writer) -> None:
        """T7."""
        writer.say(use("Bash", "t1"), id="m", usage={"input_tokens": 7, "output_tokens": 1})
        writer.say(use("Bash", "t2"), id="m", usage={"input_tokens": 7, "output_tokens": 40})
        reading = read(writer.save(tmp_path))
        assert [(request.usage.total, request.usage.prompt) for request in reading.requests] == [(47, 7)]

    def test_the_estimate_before_is_of_what_was_sent(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", "x" * 400, usage=5_000)
        writer.say(text("y" * 4_000), usage=9_000)
        reading = read(writer.save(tmp_path))
        assert [request.estimate_before for request in reading.requests] == [2, 5_100]


class TestSynthetic:
    """A record that no model wrote closes a group and ends no request."""

    @pytest.mark.parametrize("error", [{"isApiErrorMessage": True}, {"model": "<synthetic>"}])
    def test_its_results_stay_fresh_until_a_real_response(self, tmp_path: Path, writer: Writer, error: dict[str, Any]) -> None:
        writer.call("Bash", "t1", "out")
        writer.say(text("API Error"), **error)
        writer.result("t2", "out")
        pending = read(writer.save(tmp_path))
        assert len(pending.groups) == 0
        assert pending.pending is not None
        assert states(pending) == {"t1": "fresh", "t2": "fresh"}
        writer.say()
        sent = read(writer.save(tmp_path))
        assert grouped(sent) == [["t1"], ["t2"]]
        assert states(sent) == {"t1": "frozen", "t2": "frozen"}
        assert len(sent.requests) == 2

    def test_groups_that_wait_together_are_judged_apart(self, tmp_path: Path, writer: Writer) -> None:
        """B14, in the one group that is shown as pending."""
        writer.call("Read", "r", "x")
        for name in ("a", "b"):
            writer.call("Glob", name, "x" * 60, id=f"m{name}")
            writer.say(text("API Error"), isApiErrorMessage=True)
        reading = read(writer.save(tmp_path), message_budget=100, aggregate=True)
        assert reading.pending is not None
        assert reading.pending.over_budget is False
        assert reading.pending.fresh == 60


class TestPending:
    def test_is_what_the_engine_would_do_now(self, tmp_path: Path, writer: Writer) -> None:
        fan(writer, ("a", "Glob", "x" * 60), ("b", "Glob", "x" * 70))
        reading = read(writer.save(tmp_path), message_budget=100)
        assert reading.pending is not None
        assert reading.pending.assistant_id is None
        assert fates(reading) == {"a": ("fresh", "full", None, "B7"), "b": ("fresh", "replaced", 2, "B7")}
        assert [reading.pending.results[pick.position].row.tool_use_id for pick in reading.pending.picks] == ["b"]

    def test_is_none_where_nothing_waits(self, tmp_path: Path, writer: Writer) -> None:
        assert read(writer.save(tmp_path)).pending is None


class TestLayerOne:
    @pytest.mark.parametrize(
        ("tool", "limit"), [("Bash", 30_000), ("Grep", 20_000), ("Glob", 50_000), ("mcp__maps__find", 50_000), (None, 50_000)]
    )
    def test_both_sides_of_each_threshold(self, tmp_path: Path, writer: Writer, tool: str | None, limit: int) -> None:
        writer.say({"type": "tool_use", "id": "at", "name": tool, "input": {}}, {**use(tool, "over")})
        writer.result("at", "x" * limit)
        writer.result("over", "x" * (limit + 1))
        writer.say()
        rule = "L8.4" if tool is None else "L8.3"
        found = fates(read(writer.save(tmp_path)))
        assert found == {"at": ("frozen", "full", None, rule), "over": (None, "persisted", 1, rule)}

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ([{"type": "image", "source": {}}], (None, "image", None, "P1")),
            ("", (None, "placeholder", 1, "P3")),
            ("  ", (None, "placeholder", 1, "P3")),
            ([], (None, "placeholder", 1, "P3")),
            ([text("x" * 60_000)], (None, "persisted", 1, "L8.3")),
            ([text("x" * 60_000), {"type": "tool_reference"}], ("frozen", "full", None, "P4")),
            ([text("x" * 60_000), {"type": "image", "source": {}}], (None, "image", None, "P1")),
        ],
    )
    def test_other_content(self, tmp_path: Path, writer: Writer, content: object, expected: tuple[Any, ...]) -> None:
        writer.call("Bash", "t1", content)
        writer.say()
        assert fates(read(writer.save(tmp_path)))["t1"] == expected

    def test_sizes_are_utf_16_units(self, tmp_path: Path, writer: Writer) -> None:
        fan(writer, ("at", "Bash", "🎉" * 15_000), ("over", "Bash", "🎉" * 15_000 + "日"))
        found = results(read(writer.save(tmp_path)))
        assert [found[name].fate for name in ("at", "over")] == ["full", "persisted"]

    @pytest.mark.parametrize(
        ("version", "fate", "rule"), [("2.1.1", "full", "L8.1"), ("2.1.50", "full", "L8.3"), ("2.1.51", "persisted", "L8.3")]
    )
    def test_each_record_is_judged_by_the_profile_of_its_version(
        self, tmp_path: Path, writer: Writer, version: str, fate: str, rule: str
    ) -> None:
        """L12, R1a: newer records in the same file change nothing of it."""
        writer.version = version
        writer.call("Glob", "t1", "x" * 60_000)
        writer.version = "2.1.200"
        writer.say()
        found = results(read(writer.save(tmp_path)))["t1"]
        assert (found.fate, found.rule) == (fate, rule)

    @pytest.mark.parametrize(("version", "fate"), [("2.1.50", "exempt"), ("2.1.56", "persisted"), ("2.1.69", "exempt")])
    def test_read_opts_out_but_in_some_versions(self, tmp_path: Path, writer: Writer, version: str, fate: str) -> None:
        writer.version = version
        writer.call("Read", "t1", "x" * 60_000)
        writer.say()
        assert results(read(writer.save(tmp_path)))["t1"].fate == fate


class TestAfterSending:
    def test_what_was_kept_is_frozen(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", "out")
        assert states(read(writer.save(tmp_path))) == {"t1": "fresh"}
        writer.say()
        assert states(read(writer.save(tmp_path))) == {"t1": "frozen"}

    def test_what_was_replaced_must_be_reapplied(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Glob", "t1", "x" * 200)
        writer.say()
        assert fates(read(writer.save(tmp_path), message_budget=100, aggregate=True)) == {
            "t1": ("mustReapply", "replaced", 2, "B7")
        }

    def test_a_twin_of_a_frozen_result_is_frozen(self, tmp_path: Path, writer: Writer) -> None:
        """Its size counts, but it is never selected."""
        writer.call("Glob", "t1", "x" * 40)
        writer.say()
        writer.result("t1", "x" * 90)
        writer.result("t2", "x" * 30)
        writer.say()
        reading = read(writer.save(tmp_path), message_budget=100, aggregate=True)
        group = reading.groups[1]
        assert sums(group) == (90, 30, 0, 0, 90)
        assert [(found.state, found.fate) for found in group.results] == [("frozen", "full"), ("mustReapply", "replaced")]

    def test_a_twin_of_a_replaced_result_is_replaced(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Glob", "t1", "x" * 200)
        writer.say()
        writer.result("t1", "x" * 50)
        writer.say()
        reading = read(writer.save(tmp_path), message_budget=100, aggregate=True)
        group = reading.groups[1]
        assert sums(group) == (0, 0, 50, 0, 0)
        assert [(found.state, found.fate, found.rule) for found in group.results] == [("mustReapply", "replaced", "B4")]

    def test_a_twin_of_one_that_could_not_be_written_is_frozen(self, tmp_path: Path, writer: Writer) -> None:
        """B9."""
        writer.call("Glob", "t1", [text("x" * 200), {"type": "tool_reference"}])
        writer.say()
        writer.result("t1", "x" * 50)
        writer.say()
        group = read(writer.save(tmp_path), message_budget=100, aggregate=True).groups[1]
        assert [(found.state, found.fate) for found in group.results] == [("frozen", "full")]


class TestBudget:
    def test_the_largest_go_first_until_the_rest_fits(self, tmp_path: Path, writer: Writer) -> None:
        fan(writer, *[(name, "Glob", "x" * size) for name, size in (("a", 30), ("b", 50), ("c", 40), ("d", 50))])
        writer.say()
        reading = read(writer.save(tmp_path), message_budget=80, aggregate=True)
        group = reading.groups[0]
        picked = [(group.results[pick.position].row.tool_use_id, pick.remaining) for pick in group.picks]
        assert picked == [("b", 120), ("d", 70)]
        assert sums(group) == (0, 170, 0, 0, 70)
        assert group.over_budget
        assert states(reading) == {"a": "frozen", "b": "mustReapply", "c": "frozen", "d": "mustReapply"}

    @pytest.mark.parametrize(("limit", "over"), [(100, False), (99, True)])
    def test_exactly_at_the_limit_is_inside(self, tmp_path: Path, writer: Writer, limit: int, over: bool) -> None:
        fan(writer, ("a", "Glob", "x" * 40), ("b", "Glob", "x" * 60))
        writer.say()
        group = read(writer.save(tmp_path), message_budget=limit, aggregate=True).groups[0]
        assert (group.over_budget, len(group.picks)) == (over, int(over))

    def test_exempt_results_stay_out_of_the_sums(self, tmp_path: Path, writer: Writer) -> None:
        """B6."""
        fan(writer, ("r", "Read", "x" * 500), ("a", "Glob", "x" * 90))
        writer.say()
        reading = read(writer.save(tmp_path), message_budget=100, aggregate=True)
        assert sums(reading.groups[0]) == (0, 90, 0, 500, 590)
        assert fates(reading)["r"] == ("frozen", "exempt", None, "B6")
        assert not reading.groups[0].over_budget

    def test_persisted_results_are_no_candidates(self, tmp_path: Path, writer: Writer) -> None:
        """R1a: what layer one takes out of the message is not counted."""
        fan(writer, ("a", "Bash", "x" * 500), ("b", "Bash", "x" * 90))
        reading = read(writer.save(tmp_path), message_budget=100, overrides={"Bash": 100})
        assert reading.pending is not None
        assert sums(reading.pending) == (0, 90, 0, 0, 90)

    def test_a_wrapper_that_the_engine_would_have_kept_counts_in_full(self, tmp_path: Path, writer: Writer) -> None:
        """R1a, the other way."""
        whole = "x" * 40_000
        writer.say(use("Bash", "a"))
        writer.result("a", wrapper(whole), {"stdout": whole})
        reading = read(writer.save(tmp_path), overrides={"Bash": 50_000})
        assert reading.pending is not None
        assert sums(reading.pending) == (0, 40_000, 0, 0, 40_000)
        assert fates(reading)["a"] == ("fresh", "full", None, "L8.2")
        assert results(reading)["a"].model_chars == 40_000
        assert sums(read(writer.save(tmp_path)).pending) == (0, 0, 0, 0, 0)  # type: ignore[arg-type]

    def test_what_cannot_be_written_stays_in_full(self, tmp_path: Path, writer: Writer) -> None:
        """B9, P4."""
        fan(writer, ("a", "Glob", [text("x" * 200), {"type": "tool_reference"}]), ("b", "Glob", "x" * 60))
        writer.say()
        reading = read(writer.save(tmp_path), message_budget=100, aggregate=True)
        assert fates(reading) == {"a": ("frozen", "full", None, "B9"), "b": ("frozen", "full", None, "B7")}
        assert reading.groups[0].visible == 260

    def test_groups_are_judged_apart(self, tmp_path: Path, writer: Writer) -> None:
        """B14."""
        for name in ("a", "b"):
            writer.call("Glob", name, "x" * 80)
        writer.say()
        reading = read(writer.save(tmp_path), message_budget=100, aggregate=True)
        assert not any(group.over_budget for group in reading.groups)

    def test_switched_off_all_is_frozen_and_the_overage_told(self, tmp_path: Path, writer: Writer) -> None:
        """L10."""
        fan(writer, ("r", "Read", "x" * 30), ("a", "Glob", "x" * 200))
        writer.say()
        writer.call("Glob", "p", "x" * 200)
        reading = read(writer.save(tmp_path), message_budget=100, aggregate=False)
        assert [group.over_budget for group in (reading.groups[0], reading.pending) if group is not None] == [True, True]
        assert fates(reading) == {
            "r": ("frozen", "full", None, "L8.1"),
            "a": ("frozen", "full", None, "L8.3"),
            "p": ("fresh", "full", None, "L8.3"),
        }


class TestSizes:
    def test_of_a_group(self, tmp_path: Path, writer: Writer) -> None:
        whole = "x" * 40_000
        writer.say(use("Bash", "a"), use("Bash", "b"))
        writer.result("a", wrapper(whole), {"stdout": whole})
        writer.result("b", "x" * 50)
        writer.say()
        group = read(writer.save(tmp_path)).groups[0]
        assert (group.chars, group.model_chars) == (40_050, len(wrapper(whole)) + 50)

    def test_totals_are_the_engines(self, tmp_path: Path, writer: Writer) -> None:
        fan(writer, ("a", "Bash", "x" * 40_000), ("b", "Bash", "x" * 50))
        reading = read(writer.save(tmp_path))
        shown = results(reading)["a"].model_chars
        totals = reading.totals
        assert (totals.results, totals.chars, totals.visible_chars) == (2, 40_050, shown + 50)
        assert (totals.persisted, totals.replaced, totals.fresh, totals.drift) == (1, 0, 1, 1)
        assert totals.tokens_saved == 10_000 - (shown + 2) // 4

    def test_the_engines_wrapper_is_as_long_as_the_real_one(self, tmp_path: Path, writer: Writer) -> None:
        contents = {
            "a": "x" * 40_000,
            "b": "word\n" * 9_000,
            "c": "🎉日\n" * 12_000,
            "d": "é" * 1_999 + "\n" + "z" * 40_000,
        }
        fan(writer, *[(name, "Bash", content) for name, content in contents.items()])
        path = writer.save(tmp_path)
        for name, found in results(read(path)).items():
            spill = tmp_path / path.stem / "tool-results" / f"{name}.txt"
            real = wrapper(contents[name], str(spill))
            assert found.model_chars == len(real.encode("utf-16-le")) // 2


class TestCompaction:
    def test_earlier_groups_are_no_longer_live(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "a", "out")
        writer.say()
        writer.boundary()
        writer.call("Bash", "b", "out")
        writer.say()
        reading = read(writer.save(tmp_path))
        assert grouped(reading) == [["a"], ["b"]]
        assert [reading.is_live(group) for group in reading.groups] == [False, True]

    def test_what_stood_open_before_it_closed_its_group(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "a", "out")
        writer.boundary()
        writer.call("Bash", "b", "out")
        reading = read(writer.save(tmp_path))
        assert grouped(reading) == [["a"]]
        assert (reading.groups[0].assistant_id, results(reading)["a"].state) == (None, "frozen")
        assert reading.pending is not None
        assert [found.row.tool_use_id for found in reading.pending.results] == ["b"]

    def test_state_survives_it(self, tmp_path: Path, writer: Writer) -> None:
        """W7: an id that was frozen stays frozen."""
        writer.call("Glob", "a", "x" * 50)
        writer.say()
        writer.boundary()
        writer.result("a", "x" * 200)
        reading = read(writer.save(tmp_path), message_budget=100, aggregate=True)
        assert reading.pending is not None
        assert [(found.state, found.fate) for found in reading.pending.results] == [("frozen", "full")]

    def test_groups_that_it_kept_are_live(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "a", "out")
        head = writer.uuid()
        writer._count -= 1
        writer.call("Bash", "b", "out")
        tail = writer.say()
        writer.boundary(preservedSegment={"headUuid": head, "anchorUuid": "u8", "tailUuid": tail})
        writer.prompt("New.", parent=tail)
        assert writer.records[-2]["uuid"] == "u8"
        reading = read(writer.save(tmp_path))
        assert grouped(reading) == [["a"], ["b"]]
        assert [reading.is_live(group) for group in reading.groups] == [False, True]

    def test_a_clear_ends_them_too(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "a", "out")
        writer.say()
        writer.prompt("/clear", parent=None)
        reading = read(writer.save(tmp_path))
        assert [reading.is_live(group) for group in reading.groups] == [False]

    def test_requests_know_their_segment(self, tmp_path: Path, writer: Writer) -> None:
        writer.say()
        writer.boundary()
        writer.say()
        assert [request.segment for request in read(writer.save(tmp_path)).requests] == [0, 1]


class TestDeadBranches:
    def test_are_in_no_group(self, tmp_path: Path, writer: Writer) -> None:
        start = writer.last
        writer.call("Bash", "a", "out")
        writer.prompt("Again.", parent=start)
        writer.call("Bash", "b", "out")
        reading = read(writer.save(tmp_path))
        assert list(results(reading)) == ["b"]
        assert len(reading.requests) == 1


def test_what_a_compaction_kept_of_the_open_group_waits_for_the_next_request(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "gone", "x" * 100)
    writer.call("Bash", "kept", "y" * 200)
    tail = writer.last
    head = writer.records[-2]["uuid"]
    writer.boundary(preservedSegment={"headUuid": head, "anchorUuid": "u7", "tailUuid": tail})
    writer.last = tail
    waiting = read(writer.save(tmp_path)).pending
    writer.say(id="msg_after", usage=500)
    reading = read(writer.save(tmp_path))
    assert waiting is not None
    assert [result.row.tool_use_id for result in waiting.results] == ["kept"]
    assert [(group.assistant_id, reading.is_live(group)) for group in reading.groups] == [("msg_4", False), ("msg_after", True)]
