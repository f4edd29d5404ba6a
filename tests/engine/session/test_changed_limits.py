"""L11: limits that change while a session goes on alter nothing that was decided before."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from spillscope.limits_sources import Earlier, LimitsBook, LimitsPlan, WatchedLimits
from spillscope.session.reading import Reading
from transcripts import Writer, open_session, results

NOON = datetime(2026, 9, 14, 12, 0, tzinfo=UTC)
SIZE = 20_000


def at(minutes: float) -> str:
    return (NOON + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def book(chars: int) -> LimitsBook:
    return LimitsBook().with_layer({"overrides": {"Bash": chars}}, "test")


def read_with(tmp_path: Path, *changes: tuple[float, int], last: int) -> Reading:
    """Three results of one size, at noon, a minute and two minutes later, under limits that change at some minutes."""
    writer = Writer()
    writer.prompt()
    for number in range(3):
        writer.say({"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {}}, usage=1_000, timestamp=at(number))
        writer.result(f"t{number}", "x" * SIZE, timestamp=at(number))
    writer.say(usage=2_000, timestamp=at(3))
    session = open_session(writer.save(tmp_path))
    session.refresh()
    session.use(book(last), [Earlier((NOON + timedelta(minutes=when)).timestamp(), book(chars)) for when, chars in changes])
    return session.refresh()


def fates(reading: Reading) -> list[str]:
    return [found.fate for found in results(reading).values()]


def test_results_are_held_against_the_limits_of_their_time(tmp_path: Path) -> None:
    reading = read_with(tmp_path, (1.5, 30_000), last=10_000)
    assert fates(reading) == ["full", "full", "persisted"]
    assert reading.totals.drift == 1
    assert reading.limits.get_override("Bash") == 10_000


def test_several_changes(tmp_path: Path) -> None:
    assert fates(read_with(tmp_path, (0.5, 10_000), (1.5, 30_000), last=10_000)) == ["persisted", "full", "persisted"]


def test_no_change_is_as_it_was(tmp_path: Path) -> None:
    assert fates(read_with(tmp_path, last=10_000)) == ["persisted"] * 3


def test_a_group_is_held_against_the_budget_of_its_newest_result(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    for number in range(2):
        writer.say({"type": "tool_use", "id": f"t{number}", "name": "Grep", "input": {}}, usage=1_000, timestamp=at(number))
        writer.result(f"t{number}", "x" * 15_000, timestamp=at(number))
    writer.say(usage=2_000, timestamp=at(3))
    session = open_session(writer.save(tmp_path))
    session.refresh()
    small = LimitsBook().with_layer({"message_budget": 10_000}, "test")
    session.use(small, [Earlier((NOON + timedelta(minutes=0.5)).timestamp(), LimitsBook())])
    assert [group.over_budget for group in session.refresh().groups] == [False, True]


class TestWhenAFileChanged:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "limits.toml"
        path.write_text("message_budget = 1000\n")
        return path

    def test_is_when_it_was_written(self, file: Path) -> None:
        watched = WatchedLimits(LimitsPlan(extra=(file,)))
        file.write_text("message_budget = 2000\n")
        written = file.stat().st_mtime
        assert watched.poll() is not None
        assert watched.changed_at == pytest.approx(written, abs=0.1)

    @pytest.mark.parametrize("date", [0, 4_000_000_000])
    def test_is_never_before_the_last_look_nor_to_come(self, file: Path, date: int) -> None:
        before = time.time()
        watched = WatchedLimits(LimitsPlan(extra=(file,)))
        file.write_text("message_budget = 2000\n")
        os.utime(file, (date, date))
        assert watched.poll() is not None
        assert before <= watched.changed_at <= time.time()

    def test_a_file_that_goes_changes_now(self, file: Path) -> None:
        watched = WatchedLimits(LimitsPlan(user_file=file))
        before = time.time()
        file.unlink()
        assert watched.poll() is not None
        assert watched.changed_at >= before
