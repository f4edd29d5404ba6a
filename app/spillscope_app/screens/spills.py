"""Every spilled file of the session, audited: what is wrong with it, what became of it, and what all of them take on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message

from spillscope.session.reading import Reading
from spillscope.session.spills import Spill
from spillscope_app.commands import bindings
from spillscope_app.feed import Source
from spillscope_app.picture import Picture
from spillscope_app.screens.auditing import AuditingScreen
from spillscope_app.screens.detail import rule
from spillscope_app.screens.spill_list import SpillList
from spillscope_app.screens.viewer import ViewerScreen
from spillscope_app.spans import printable
from spillscope_app.viewer.handing import copy
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.views import top
from spillscope_app.views.badges import BADGES
from spillscope_app.views.spill_detail import spill_lines, title_of
from spillscope_app.views.spill_request import spill_request
from spillscope_app.views.spill_summary import badge_choices, nothing_spilled, sums_line
from spillscope_app.widgets.choices import Choices
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.text_view import TextView

_OF_THE_PAST = "as of that request, the files as they are now"


class SpillsScreen(AuditingScreen):
    """Lists the spills of the newest inventory, tells of the selected one, and opens it in a viewer."""

    BINDINGS = bindings("spills")
    AUTO_FOCUS = "#spills"

    @dataclass
    class Opened(Message):
        """It is known what the viewer is to show."""

        request: ViewerRequest

    @dataclass
    class GroupAsked(Message):
        """The user wants to see which group made a spill."""

        spill: Spill

    def __init__(self, picture: Picture, now: Callable[[], float], source: Callable[[], Source]) -> None:
        super().__init__(picture, source)
        self._now = now
        self._viewer = ViewerScreen()
        self._wish: str | None = None  # the result whose spill is to be selected as soon as it is listed

    def compose(self) -> ComposeResult:
        yield Painted(id="spills-header")
        yield Painted(id="spills-sums")
        yield Choices(id="spills-badges")
        with Container(id="spills-body"):
            yield SpillList(self._now)
            with Container(id="spill-detail", classes="pane"):
                yield Painted(id="spill-rule", classes="rule")
                yield TextView(id="spill-text")
        yield KeyLine()

    def on_mount(self) -> None:
        self.app.install_screen(self._viewer, "viewer")

    def on_screen_resume(self) -> None:
        self._draw()

    def show_picture(self, picture: Picture) -> None:
        """Show the spills of this from now on; those of another session are a list of their own."""
        before, self._picture = self._picture, picture
        if picture.path != before.path:
            self._forget()
            if self._composed:
                self._list.forget()
        if self._inventory is None:
            self._draw()
        else:
            self._show_ages()
        self._audit()

    def wish(self, tool_use_id: str) -> None:
        """Select the spill of this result as soon as it is listed."""
        self._wish = tool_use_id
        self._grant()

    def _grant(self) -> None:
        """Select what was wished for."""
        if self._wish is None or self._inventory is None or not self._composed:
            return
        found = next((spill for spill in self._inventory.spills if spill.tool_use_id == self._wish), None)
        if found is not None:
            self._list.select(found)
        if found is not None or self._of is self._picture.reading:
            self._wish = None

    @property
    def _list(self) -> SpillList:
        return self.query_one(SpillList)

    @property
    def _text(self) -> TextView:
        return self.query_one("#spill-text", TextView)

    # --- what is shown --------------------------------------------------------------------------------------------------

    def _changed(self, *, anew: bool) -> None:
        if anew:
            self._draw()
            self.call_after_refresh(self._prepare_viewer)
        else:
            self._list.tell(self._told)
            self._show_detail()
        self._grant()

    @property
    def _told(self) -> str:
        """What goes on, or what the list is of, where that is not the present."""
        is_past = self._of is not None and self._of.at is not None
        return self._note or (_OF_THE_PAST if is_past else "")

    def _draw(self) -> None:
        if not self._composed:
            return
        self._show_ages()
        self._draw_list()
        self._draw_badges()
        self._show_detail()

    def _show_ages(self) -> None:
        if self._composed and self.is_current:
            picture, inventory, disk, now = self._picture, self._inventory, self._disk, self._now()
            self.query_one("#spills-header", Painted).show(lambda width: top.header(picture, now, width))
            self.query_one("#spills-sums", Painted).show(lambda width: (sums_line(inventory, disk, now, width),))

    def _draw_list(self) -> None:
        inventory = self._inventory
        spills = inventory.spills if inventory is not None else ()
        self._list.show(spills, nothing_spilled(self._picture, inventory), self._told)
        self.set_class(not spills, "-empty")

    def _draw_badges(self) -> None:
        chosen = self._list.chosen.badge
        choices = badge_choices(self._inventory, chosen, self.size.width)
        self.query_one("#spills-badges", Choices).offer(choices)
        self.set_class(not choices, "-unfound")

    def on_resize(self) -> None:
        if self._composed:
            self._draw_badges()

    @on(SpillList.Changed)
    def _selection_changed(self) -> None:
        self._draw_badges()
        self._show_detail()

    def _show_detail(self) -> None:
        spill = self._list.selected
        title = title_of(spill) if spill is not None else ()
        self.query_one("#spill-rule", Painted).show(lambda width: (rule(title, (), width),))
        self._text.show(spill_lines(spill, self._now()), self._list.table.selected)

    # --- the viewer -----------------------------------------------------------------------------------------------------

    def _prepare_viewer(self) -> None:
        """Have the viewer built before it is asked for: it is shown, and gone before anything is drawn."""
        if self.is_current and not self._viewer.is_running and self._inventory is not None and self._inventory.spills:
            self.app.push_screen(self._viewer)
            self.app.pop_screen()

    @on(LineTable.Opened)
    def _open(self, message: LineTable.Opened) -> None:
        message.stop()
        spill, reading = self._list.selected, self._of
        if spill is not None and reading is not None:
            work = partial(self._look_at, spill, reading)
            self.run_worker(work, name="open", group="open", thread=True, exclusive=True, exit_on_error=False)

    def _look_at(self, spill: Spill, reading: Reading) -> None:
        self.post_message(self.Opened(spill_request(spill, reading, self._source())))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        message.stop()
        if self.is_current:
            self._viewer.show(message.request)
            self.app.push_screen(self._viewer)

    # --- what the user asks for -----------------------------------------------------------------------------------------

    @on(Choices.Chosen)
    def _badge_clicked(self, message: Choices.Chosen) -> None:
        message.stop()
        self._list.toggle_badge(next(name for name in BADGES if name == message.name))

    def action_copy(self) -> None:
        """The path of the selected file to the clipboard, made printable."""
        if (spill := self._list.selected) is not None:
            self.notify(copy(self.app, printable(spill.file.path), "path"), timeout=4, markup=False)

    def action_group(self) -> None:
        """To the group that made the selected spill."""
        if (spill := self._list.selected) is not None:
            self.post_message(self.GroupAsked(spill))

    def action_sort(self) -> None:
        """The next order."""
        self._list.sort()

    def action_filter(self, name: str) -> None:
        """Change one part of the filter."""
        self._list.filter_by(name)

    def action_follow(self) -> None:
        """The newest file last, and the cursor on it."""
        self._list.follow()

    def action_find(self) -> None:
        """Type a text to look for."""
        self.remove_class("-asked")
        self._list.find()

    def action_leave_find(self) -> None:
        """From the text to the list, which it goes on filtering."""
        self._list.leave_find(keep=True)

    def action_match(self, step: int) -> None:
        """To the next match of the filter, or to the one before."""
        self._list.table.action_match(step)

    def action_detail(self) -> None:
        """To the detail, and back to the list."""
        if self._text.has_focus:
            self.action_back()
        else:
            self.add_class("-asked")
            self._text.focus()

    def action_back(self) -> None:
        """One step back: stop typing, leave the detail, clear the filter, and at last to the groups."""
        if self._list.finding:
            self._list.leave_find(keep=False)
        elif self._text.has_focus or self.has_class("-asked"):
            self.remove_class("-asked")
            self._list.table.focus()
        elif self._list.chosen:
            self._list.clear()
        else:
            self.app.call_later(self.app.run_action, "show_mode('groups')")
