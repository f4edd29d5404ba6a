"""What happened between two readings of a session."""

from __future__ import annotations

import os
from pathlib import Path

from spillscope.limits_sources import LimitsBook
from spillscope.session.events import Event, events_between
from spillscope.session.session import Session
from transcripts import Writer, lines, open_session, text, use, wrapper

BOOK = LimitsBook().with_layer({"message_budget": 300, "overrides": {"Bash": 150}}, "test")


class Story:
    """A transcript that is written piece by piece, and what each piece made happen."""

    def __init__(self, folder: Path) -> None:
        self.writer = Writer()
        self.writer.prompt()
        self.path = folder / "s.jsonl"
        self.path.write_bytes(b"")
        self.session: Session = open_session(self.path, BOOK)
        self.last = self.session.refresh()

    def go_on(self) -> tuple[Event, ...]:
        """Write what the writer has got since, and read."""
        self.path.write_bytes(lines(self.writer.records))
        return self.look()

    def append(self, data: bytes) -> tuple[Event, ...]:
        with self.path.open("ab") as file:
            file.write(data)
        return self.look()

    def look(self) -> tuple[Event, ...]:
        before, self.last = self.last, self.session.refresh()
        return events_between(before, self.last)


def fan(writer: Writer, step: int, *sizes: int, tool: str = "Glob") -> None:
    """One response with several calls, and a group of their results."""
    writer.say(*(use(tool, f"t{step}.{at}") for at in range(len(sizes))), id=f"m{step}")
    for at, size in enumerate(sizes):
        writer.result(f"t{step}.{at}", "x" * size)


def told(events: tuple[Event, ...]) -> list[tuple[str, int | None, int | None]]:
    return [(event.kind, event.group.number if event.group else None, event.result) for event in events]


def test_a_decision_is_told_once_whatever_comes_after_it(tmp_path: Path) -> None:
    story = Story(tmp_path)
    fan(story.writer, 1, 200, tool="Bash")
    story.writer.records[-1]["message"]["content"][0]["content"] = wrapper("y" * 3_000)
    assert told(story.go_on()) == [("persisted", 0, 0)]
    story.writer.say(id="m2")
    assert story.go_on() == ()
    fan(story.writer, 3, 100, 120)
    assert story.go_on() == ()
    assert told(events_between(None, story.last)) == [("persisted", 0, 0)]


def test_a_budget_is_decided_when_its_group_goes_out(tmp_path: Path) -> None:
    story = Story(tmp_path)
    fan(story.writer, 1, 200, 180)
    assert story.go_on() == ()
    assert story.last.pending is not None
    assert story.last.pending.over_budget
    story.writer.replace("t1.0", "short")
    story.writer.say(id="m2")
    events = story.go_on()
    assert told(events) == [("budget", 0, None)]
    assert events[0].group is not None
    assert [events[0].group.results[pick.position].row.tool_use_id for pick in events[0].group.picks] == ["t1.0"]


def test_drift_is_told_in_place_of_a_decision_that_was_not_kept(tmp_path: Path) -> None:
    story = Story(tmp_path)
    fan(story.writer, 1, 200, tool="Bash")
    events = story.go_on()
    assert told(events) == [("drift", 0, 0)]
    assert "not persisted" in events[0].text


def test_where_the_context_begins_anew(tmp_path: Path) -> None:
    story = Story(tmp_path)
    fan(story.writer, 1, 10)
    story.writer.say(id="m2", usage=100)
    story.go_on()
    story.writer.boundary(preTokens=170_000)
    assert [(event.kind, event.text, event.figures) for event in story.go_on()] == [("compaction", "auto", (170_000, None))]
    story.writer.say(id="m3", usage=100)
    assert story.go_on() == ()
    story.writer.prompt("/clear", parent=None)
    story.writer.say(id="m4", usage=100)
    assert told(story.go_on()) == [("cleared", None, None)]
    assert told(events_between(None, story.last)) == [("compaction", None, None), ("cleared", None, None)]


def test_a_moved_leaf(tmp_path: Path) -> None:
    story = Story(tmp_path)
    fan(story.writer, 1, 10)
    story.writer.say(id="m2", usage=100)
    early = story.writer.last
    fan(story.writer, 3, 10)
    story.writer.say(id="m4", usage=100)
    story.go_on()
    story.writer.last = early
    story.writer.prompt("Otherwise.")
    story.writer.say(id="m5", usage=100)
    events = story.go_on()
    assert told(events) == [("rewound", 0, None)]
    assert events[0].figures == (1,)


def test_a_rewritten_file_tells_only_what_is_new_in_it(tmp_path: Path) -> None:
    story = Story(tmp_path)
    fan(story.writer, 1, 200, tool="Bash")
    story.go_on()
    story.writer.records[0]["message"]["content"] = "Go off."
    fan(story.writer, 2, 220, tool="Bash")
    os.utime(story.path, (1, 1))
    assert told(story.go_on()) == [("rewritten", None, None), ("drift", 1, 0)]
    story.path.unlink()
    assert told(story.look()) == [("gone", None, None)]
    assert [event.kind for event in story.go_on()][:1] == ["drift"]


def test_skipped_lines_and_a_turn_of_the_evidence(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.session.use(LimitsBook())
    fan(story.writer, 1, 150_000, 150_000, tool="Fetch")
    story.go_on()
    assert [(event.kind, event.figures) for event in story.append(b"junk\n")] == [
        ("skipped", (5, story.path.stat().st_size - 5))
    ]
    story.writer.say(id="m2", usage=100)
    events = story.append(lines(story.writer.records[-1:]))
    assert [event.kind for event in events if event.kind != "drift"] == ["evidence"]
    assert events[-1].text.startswith("off")
    past = events_between(None, story.last)
    assert [event.kind for event in past if event.at is None] == ["skipped", "evidence"]


def test_another_session_is_told_from_its_start(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one, other = Story(tmp_path), Story(tmp_path / "other")
    fan(other.writer, 1, 200, tool="Bash")
    other.go_on()
    assert told(events_between(one.last, other.last)) == [("drift", 0, 0)]


def test_a_broken_cache_is_told_with_its_request_and_the_group_that_it_carried(tmp_path: Path) -> None:
    story = Story(tmp_path)
    for at, cached in enumerate((50_000, 60_000, 0, 70_000)):
        story.writer.say(use("Glob", f"t{at}"), id=f"m{at}", usage={"input_tokens": 5, "cache_read_input_tokens": cached})
        story.writer.result(f"t{at}", "x" * 20)
        events = story.go_on()
        broken = [(event.figures, event.group.number if event.group else None) for event in events if event.kind == "cache"]
        assert broken == ([((2,), 1)] if at == 2 else [])
    assert [event.broken for event in events_between(None, story.last)] == [story.last.requests[2].broken]


def test_a_break_that_shows_only_in_a_later_record_is_told_once(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.writer.say(use("Glob", "t0"), id="m0", usage={"input_tokens": 5, "cache_read_input_tokens": 50_000})
    story.writer.result("t0", "x")
    story.writer.say(text("well"), id="m1", usage={"input_tokens": 0})
    assert story.go_on() == ()
    story.writer.say(text("then"), id="m1", usage={"input_tokens": 5, "cache_read_input_tokens": 10_000})
    assert [event.kind for event in story.go_on()] == ["cache"]
    story.writer.say(id="m2", usage={"input_tokens": 5, "cache_read_input_tokens": 20_000})
    assert story.go_on() == ()
