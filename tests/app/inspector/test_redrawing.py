"""A change draws anew what it changes and no more: what a held key asks of the screen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from textual.geometry import Region
from textual.message import Message
from textual.message_pump import MessagePump
from textual.widget import Widget

from app.inspector.tuned import Tuned, settle
from spillscope_app.feed import Source
from spillscope_app.tuning.answer import Answer, Question
from spillscope_app.tuning.desk import Asker
from spillscope_app.tuning.edits import Edits
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.paced import Paced
from spillscope_app.widgets.painted import Painted

ALL = -1


def note_refreshes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Widgets and their lines that are to be drawn anew from now on."""
    noted: list[tuple[str, int]] = []
    refresh = Widget.refresh

    def note(self: Widget, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Widget:
        if repaint and isinstance(self, Painted | LineTable):
            noted.extend((self.id or "", region.y) for region in regions or (Region(0, ALL),))
        return refresh(self, *regions, repaint=repaint, layout=layout, recompose=recompose)

    monkeypatch.setattr(Widget, "refresh", note)
    return noted


async def test_a_nudge_draws_the_lines_that_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("minus", on="Grep") as pilot:
        table = tuned.screen.query_one("#tools", LineTable)
        row = list(tuned.rows).index("Grep")
        before = [table.render_line(y) for y in range(len(tuned.rows))]
        noted = note_refreshes(monkeypatch)
        await pilot.press("minus")
        await settle(pilot)
        changed = {y for y in range(len(tuned.rows)) if table.render_line(y) != before[y]}
        assert row in changed
        assert {y for name, y in noted if name == "tools"} == changed
        assert len(changed) < len(tuned.rows)
        assert ALL not in {y for _, y in noted}
        assert {name for name, _ in noted}.isdisjoint({"tools-header", "tools-heading", "keys"})


async def test_no_number_of_flips_lays_the_screen_out_anew(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown(on="Grep", size=(120, 36)) as pilot:
        flips, seen, laid = tuned.screen.query_one("#flips", LineTable), set[bool](), list[object]()
        await pilot.press("minus")
        await settle(pilot)
        tuned.screen.screen_layout_refresh_signal.subscribe(tuned.screen, laid.append, immediate=True)
        for _ in range(40):
            await pilot.press("minus")
            await settle(pilot)
            seen.add(len(flips.items) > flips.size.height)
        assert seen == {False, True}
        assert laid == []


async def test_lines_have_the_colours_of_another_theme_at_once(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("minus", on="Grep") as pilot:
        widgets = [tuned.screen.query_one("#effects", Painted), tuned.screen.query_one("#tools", LineTable)]
        dark = [widget.render_line(0) for widget in widgets]
        tuned.app.theme = "textual-light"
        await settle(pilot)
        light = [widget.render_line(0) for widget in widgets]
        assert [strip.text for strip in light] == [strip.text for strip in dark]
        for then, now in zip(dark, light, strict=True):
            inks = [[segment.style for segment in strip if segment.text.strip()] for strip in (then, now)]
            assert not set(inks[0]) & set(inks[1])


class Frames:
    """Stands for an app: whoever waits for the next frame."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], object]] = []

    def call_after_refresh(self, callback: Callable[[], object]) -> bool:
        self.waiting.append(callback)
        return True

    def paint(self) -> None:
        waiting, self.waiting = self.waiting, []
        for callback in waiting:
            callback()


def test_what_comes_faster_than_it_is_painted_is_drawn_once() -> None:
    frames, value, drawn = Frames(), [0], list[int]()
    paced = Paced(cast(MessagePump, frames), lambda: drawn.append(value[0]))

    def bring(number: int) -> None:
        value[0] = number
        paced.ask()

    bring(1)
    assert drawn == [1]  # the first one at once
    bring(2)
    bring(3)
    assert drawn == [1]
    frames.paint()
    assert drawn == [1, 3]  # the newest, once
    frames.paint()
    assert frames.waiting == []
    bring(4)
    assert drawn == [1, 3, 4]


def test_no_question_is_answered_before_the_last_answer_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spillscope_app.tuning.desk.SHOWN_SECONDS", 60.0)
    first, second, third = (Question(Edits(), factor) for factor in (1.0, 2.0, 3.0))
    asked, too_early, posted = list[Question](), threading.Event(), list[Message]()

    class Stub:
        def tune(self, question: Question) -> Answer:
            asked.append(question)
            if question is second:
                too_early.set()
            return cast(Answer, object())

    def go_on() -> None:
        too_early.wait(0.2)
        asker.ask(third)
        asker.note_shown()

    later = threading.Thread(target=go_on)

    def post(message: Message) -> None:
        posted.append(message)
        if len(posted) == 1:
            assert not asker.ask(second)  # whoever answered the first goes on with it
            later.start()

    asker = Asker(cast(Source, Stub()), post)
    assert asker.ask(first)
    asker.work()
    later.join()
    assert asked == [first, third]
    assert len(posted) == 2
