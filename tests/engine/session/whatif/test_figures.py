"""The figures of a comparison, on conversations small enough to work them out by hand (spec R3, R4, R5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillscope.limits_sources import LimitsBook
from spillscope.session.judge import wrapper_chars
from spillscope.session.session import Session
from spillscope.session.spills.model import Spill
from spillscope.session.whatif.compare import WhatIf, what_if
from spillscope.session.whatif.comparison import Comparison
from spillscope.tokens.rough import rough_token_count
from transcripts import Writer, open_session, wrapper

LARGE = "x" * 20_000
"""5,000 tokens: under Bash's threshold."""
EDIT = {"overrides": {"Bash": 10_000}}


def opened(writer: Writer, folder: Path, **limits: object) -> Session:
    session = open_session(writer.save(folder), LimitsBook().with_layer(limits, "test"))
    session.refresh()
    return session


def asked(session: Session) -> WhatIf:
    return WhatIf(session, session.refresh())


def compared(session: Session, **limits: object) -> Comparison:
    return asked(session).compare(session.book.with_layer(limits or EDIT, "edited"))


def preview_tokens(session: Session, tool_use_id: str) -> int:
    """T3 of the preview of LARGE."""
    return rough_token_count(wrapper_chars(len(LARGE), session.replay.judge.path_chars + len(tool_use_id), 2_000))


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    writer.prompt()
    return writer


class TestInView:
    def test_a_result_is_in_view_from_the_request_that_it_went_out_with(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", LARGE, usage=10_000)
        writer.say(usage=20_000)
        writer.say(usage=21_000)
        session = opened(writer, tmp_path)
        found = compared(session)
        saved = 5_000 - preview_tokens(session, "t1")
        assert found.before.context == [10_000, 20_000, 21_000, 21_000]
        assert found.after.context == [10_000, 20_000 - saved, 21_000 - saved, 21_000 - saved]
        assert found.after.tokens_kept_out == [0, saved, saved, saved]
        assert found.before.tokens_kept_out == [0, 0, 0, 0]
        assert found.kept_out_requests == (0, 3 * saved)
        assert found.tokens_kept_out == (0, saved)
        assert found.peak == (21_000, 21_000 - saved)
        assert found.context.difference == -saved
        assert found.kept_out_at_peak == (0, saved)

    def test_it_leaves_with_its_segment(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", LARGE, usage=10_000)
        writer.say(usage=20_000)
        writer.boundary()
        writer.say(usage=4_000)
        found = compared(opened(writer, tmp_path))
        assert found.after.tokens_kept_out[1] > 0
        assert found.after.tokens_kept_out[2:] == [0, 0]
        assert found.after.context[2:] == found.before.context[2:]

    def test_what_a_compaction_kept_stays(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", LARGE, usage=10_000)
        head = tail = writer.last
        writer.say(usage=20_000)
        summary = f"u{len(writer.records) + 2}"
        writer.boundary(preservedSegment={"headUuid": head, "anchorUuid": summary, "tailUuid": tail})
        writer.last = tail
        writer.say(usage=9_000)
        session = opened(writer, tmp_path)
        saved = 5_000 - preview_tokens(session, "t1")
        assert session.chain.kept[-1]
        assert compared(session).after.tokens_kept_out == [0, saved, saved, saved]

    def test_the_pending_result_is_in_view_of_the_next_request_alone(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", LARGE, usage=10_000)
        session = opened(writer, tmp_path)
        saved = 5_000 - preview_tokens(session, "t1")
        found = compared(session)
        assert found.after.tokens_kept_out == [0, saved]
        assert found.before.context == [10_000, 15_000]
        assert found.flips[0].group == 0

    def test_what_was_cleared_is_no_longer_in_view_either_way(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", LARGE, usage=10_000)
        writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": {"compactedToolIds": ["t1"]}})
        writer.say(usage=20_000)
        found = compared(opened(writer, tmp_path))
        assert found.after.context == found.before.context
        assert found.spilled == (0, 1)

    def test_the_factor_turns_t3_into_tokens_of_the_model(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", LARGE, usage=10_000)
        writer.say(usage=20_000)
        session = opened(writer, tmp_path)
        edited = session.book.with_layer(EDIT, "edited")
        found = what_if(session, session.refresh(), session.book, edited, factor=1.5)
        saved = 5_000 - preview_tokens(session, "t1")
        assert found.after.context == [10_000, 20_000 - round(1.5 * saved), 20_000 - round(1.5 * saved)]

    def test_a_request_without_usage_stands_at_its_estimate(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", LARGE, usage=None)
        writer.say(usage=None)
        session = opened(writer, tmp_path)
        assert compared(session).before.context[:2] == [one.estimate_before for one in session.refresh().requests]


class TestModes:
    def test_from_now_on_leaves_what_was_sent(self, tmp_path: Path, writer: Writer) -> None:
        for number in range(3):
            writer.call("Bash", f"t{number}", LARGE, usage=1_000 * (number + 1))
        session = opened(writer, tmp_path)
        what = asked(session)
        edited = session.book.with_layer(EDIT, "edited")
        assert what.compare(edited).flips.ids() == ["t0", "t1", "t2"]
        assert what.compare(edited, "now").flips.ids() == ["t2"]
        assert what.compare(edited, "now", since=2).flips.ids() == ["t1", "t2"]
        assert what.compare(edited, "now", since=99).flips.ids() == []


class TestUnknown:
    def test_an_original_that_nobody_has_is_named_and_never_guessed(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", wrapper(LARGE).replace("19.5KB", "much"))
        writer.say(usage=20_000)
        found = compared(opened(writer, tmp_path), overrides={"Bash": 10})
        assert found.unknown == ("t1",)
        assert (len(found.flips), found.tokens_kept_out, found.chars_kept_out) == (0, (0, 0), (0, 0))


class TestAutoCompact:
    def curve(self, folder: Path, writer: Writer, *usages: int) -> Session:
        writer.call("Bash", "t0", LARGE, usage=5_000)
        for usage in usages:
            writer.say(usage=usage)
        return opened(writer, folder, window=60_000)  # the line is at 27,000

    def test_comes_later(self, tmp_path: Path, writer: Writer) -> None:
        session = self.curve(tmp_path, writer, 20_000, 27_500, 29_000, 32_000)
        found = compared(session)
        assert found.windows[0].auto_compact == 27_000
        assert (found.auto_compact, found.auto_compact.later) == ((2, 4), 2)

    def test_or_not_at_all(self, tmp_path: Path, writer: Writer) -> None:
        found = compared(self.curve(tmp_path, writer, 20_000, 27_500))
        assert (found.auto_compact, found.auto_compact.later) == ((2, None), None)
        assert found.hypothetical_from is None

    def test_sooner_makes_the_rest_a_guess(self, tmp_path: Path, writer: Writer) -> None:
        session = self.curve(tmp_path, writer, 20_000, 26_000, 26_500, 26_600)
        session.use(session.book.with_layer(EDIT, "test"))
        found = what_if(session, session.refresh(), session.book, LimitsBook().with_layer({"window": 56_000}, "edited"))
        assert found.windows[1].auto_compact == 23_000
        assert found.auto_compact.after == 2
        assert found.hypothetical_from == 3

    def test_a_compaction_that_would_have_come_later_makes_a_guess_of_what_followed_it(
        self, tmp_path: Path, writer: Writer
    ) -> None:
        writer.call("Bash", "t0", LARGE, usage=5_000)
        writer.say(usage=20_000)
        writer.say(usage=27_500)
        writer.boundary()
        writer.say(usage=3_000)
        found = compared(opened(writer, tmp_path, window=60_000))
        assert found.hypothetical_from == 3

    def test_one_by_hand_would_have_come_all_the_same(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t0", LARGE, usage=5_000)
        writer.say(usage=27_500)
        writer.boundary(trigger="manual")
        writer.say(usage=3_000)
        assert compared(opened(writer, tmp_path, window=60_000)).hypothetical_from is None

    def test_with_auto_compact_off_there_is_no_line(self, tmp_path: Path, writer: Writer) -> None:
        found = compared(self.curve(tmp_path, writer, 20_000, 29_000), auto_compact=False, **EDIT)
        assert found.auto_compact == (2, None)


class TestCost:
    def test_a_token_kept_out_saves_its_write_and_every_read(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", LARGE, usage=10_000)
        usage = {"cache_read_input_tokens": 10_000, "cache_creation_input_tokens": 6_000, "output_tokens": 7}
        writer.say(usage=usage)
        writer.say(usage=16_000)
        session = opened(writer, tmp_path)
        found = compared(session)
        saved = 5_000 - preview_tokens(session, "t1")
        assert found.cost.before == pytest.approx(0.1 * 10_000 + 0.1 * 10_000 + 1.25 * 6_000 + 0.1 * 16_000)
        assert found.cost.difference == pytest.approx(-saved * (1.25 + 0.1))

    @pytest.mark.parametrize(
        ("usage", "price"),
        [
            ({"input_tokens": 9_000}, 1.0),
            ({"cache_read_input_tokens": 9, "cache_creation": {"ephemeral_1h_input_tokens": 9_000}}, 2.0),
            ({"cache_creation": {"ephemeral_1h_input_tokens": 3_000, "ephemeral_5m_input_tokens": 9_000}}, 1.25 + 0.75 / 4),
            (None, 0.0),
        ],
    )
    def test_what_it_was_written_for(self, tmp_path: Path, writer: Writer, usage: object, price: float) -> None:
        writer.call("Bash", "t1", LARGE, usage=10_000)
        writer.say(usage=usage)
        session = opened(writer, tmp_path)
        saved = 5_000 - preview_tokens(session, "t1")
        assert compared(session).cost.difference == pytest.approx(-saved * price)


class TestRereads:
    def test_a_spill_that_was_read_back_saved_less(self, tmp_path: Path, writer: Writer) -> None:
        writer.call("Bash", "t1", wrapper("x" * 40_000), usage=10_000)
        for usage in (11_000, 12_000, 13_000):
            writer.say(usage=usage)
        session = opened(writer, tmp_path)
        what = asked(session)
        spill = Spill("t1", "Bash", session.files.find("/x/t.txt"), "result", 2, None, None, tokens_reread=700)
        what.note_rereads([spill, spill._replace(tool_use_id="t9"), spill._replace(agent_id="a", tool_use_id="t1", reread=9)])
        found = what.compare(session.book.with_layer({"declared": {"Bash": "inf"}}, "edited"))
        before, after = found.rereads
        assert (before.results, before.times, before.tokens) == (1, 2, 700)
        assert before.kept_out == 3 * found.tokens_kept_out.before > 0
        assert before.net == before.kept_out - 700
        assert after == (0, 0, 0, 0)


def test_an_answer_stays_what_it_was(tmp_path: Path, writer: Writer) -> None:
    writer.call("Bash", "t1", LARGE, usage=10_000)
    writer.call("Bash", "t2", LARGE, usage=20_000)
    session = opened(writer, tmp_path)
    what = asked(session)
    edited = session.book.with_layer(EDIT, "edited")
    found = what.compare(edited)
    kept = list(found.flips), list(found.after.context)
    writer.say(usage=30_000)
    writer.call("Bash", "t3", LARGE, usage=40_000)
    writer.save(tmp_path)
    what.follow(session.refresh())
    assert what.compare(edited).flips.ids() == ["t1", "t2", "t3"]
    what.compare(session.book)
    assert (list(found.flips), found.after.context) == kept
