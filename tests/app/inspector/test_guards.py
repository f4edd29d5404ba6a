"""What must hold of every widget and every command."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path

import pytest
from textual.color import Color
from textual.containers import Container
from textual.screen import ModalScreen, Screen
from textual.scroll_view import ScrollView
from textual.theme import BUILTIN_THEMES, Theme
from textual.widget import Widget
from textual.widgets import Input as TextInput

import spillscope_app
from app.inspector.driving import Bench
from app.inspector.readings import live
from spillscope_app.commands import COMMANDS, PLACE_NAMES
from spillscope_app.inspector import Inspector
from spillscope_app.palette import HIGH_CONTRAST, ink_variables
from spillscope_app.screens.choose import ChooseScreen
from spillscope_app.screens.detail import Detail
from spillscope_app.screens.effects_pane import EffectsPane
from spillscope_app.screens.events import EventsScreen
from spillscope_app.screens.export import ExportScreen, FileLine
from spillscope_app.screens.groups import GroupsScreen
from spillscope_app.screens.list_pane import ListPane
from spillscope_app.screens.results_pane import ResultsPane
from spillscope_app.screens.sessions import SessionsScreen
from spillscope_app.screens.sheet import SheetScreen
from spillscope_app.screens.spill_list import SpillList
from spillscope_app.screens.spills import SpillsScreen
from spillscope_app.screens.timeline import TimelineScreen
from spillscope_app.screens.tools import ToolsScreen
from spillscope_app.screens.value_pane import ValueLine, ValuePane
from spillscope_app.screens.viewer import ViewerScreen
from spillscope_app.spans import INKS
from spillscope_app.tuning.desk import Desk
from spillscope_app.viewer.asking import AskScreen
from spillscope_app.viewer.canvas import Canvas
from spillscope_app.viewer.view import FileView
from spillscope_app.views.guide import guide
from spillscope_app.widgets.choices import Choices
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.plot_view import PlotView
from spillscope_app.widgets.text_view import TextView
from spillscope_app.widgets.typed_line import FindLine

MEANT = {
    *("BINDINGS", "COMPONENT_CLASSES", "DEFAULT_CSS", "ALLOW_SELECT", "AUTO_FOCUS", "CSS_PATH", "TITLE", "COMMANDS"),
    *("HORIZONTAL_BREAKPOINTS", "VERTICAL_BREAKPOINTS", "compose", "render_line", "notify_style_update", "can_focus"),
    *("get_theme_variable_defaults", "get_default_screen", "get_system_commands", "animation_level", "can_focus_children"),
    *("insert", "get_line_filters", "DEFAULT_MODE", "render_lines", "check_action"),
}
"""Names of Textual that are overridden on purpose."""
FRAMEWORK = ("__", "on_", "watch_", "_css", "_inherit", "_merged", "_reactives", "_decorated", "_computes", "_class")
"""Hooks, and what Textual itself puts into every class."""


async def test_no_attribute_shadows_one_of_textual() -> None:
    bench = Bench(live())
    async with bench.app.run_test():
        sheet = SheetScreen("title", guide)
        ours: list[tuple[object, object]] = [
            (LineTable(), ScrollView()),
            (TextView(), ScrollView()),
            (FileView(), Widget()),
            (Canvas(), Widget()),
            (ViewerScreen(), Screen()),
            (AskScreen("/x"), ModalScreen()),
            (Painted(), Widget()),
            (sheet, ModalScreen()),
            (Choices(), Widget()),
            (KeyLine(), Widget()),
            (Detail(lambda: bench.shelf, id="detail"), Container()),
            (ListPane(bench.app.picture, lambda: bench.shelf), Container()),
            (FindLine(id="find", placeholder=""), TextInput()),
            (ResultsPane(), Container()),
            (SpillList(time.time), Container()),
            (SpillsScreen(bench.app.picture, time.time, lambda: bench.shelf), Screen()),
            (PlotView(), Widget()),
            (TimelineScreen(bench.app.picture, time.time), Screen()),
            (ToolsScreen(bench.app.picture, time.time, Desk()), Screen()),
            (ValueLine(), TextInput()),
            (ValuePane(print), Container()),
            (EffectsPane(), Container()),
            (FileLine(), TextInput()),
            (ChooseScreen("title", ()), ModalScreen()),
            (ExportScreen(str), ModalScreen()),
            (EventsScreen(bench.app.picture, time.time), Screen()),
            (SessionsScreen(time.time), Screen()),
            (GroupsScreen(bench.app.picture, time.time, lambda: bench.shelf), Screen()),
        ]
        for widget, plain in ours:
            classes = [cls for cls in type(widget).__mro__ if cls.__module__.startswith("spillscope_app")]
            own = {name for cls in classes for name in vars(cls)} | (vars(widget).keys() - vars(plain).keys())
            taken = {name for name in own & set(dir(plain)) if not name.startswith(FRAMEWORK)}
            assert taken <= MEANT, type(widget)


def test_every_command_is_told_of() -> None:
    text = "\n".join("".join(span.text for span in row) for row in guide(100))
    ids = Counter(command.id for command in COMMANDS)
    assert max(ids.values()) == 1
    for command in COMMANDS:
        assert command.help.endswith(".")
        if command.place in PLACE_NAMES:
            assert command.shown in text


OWNERS = [
    LineTable,
    TextView,
    FileView,
    ViewerScreen,
    AskScreen,
    FindLine,
    GroupsScreen,
    SpillsScreen,
    TimelineScreen,
    EventsScreen,
    SessionsScreen,
    SheetScreen,
    Inspector,
]


@pytest.mark.parametrize("owner", OWNERS)
def test_every_binding_comes_from_the_table_and_has_its_action(owner: type) -> None:
    known = {command.id: command for command in COMMANDS}
    for binding in owner.BINDINGS:  # type: ignore[attr-defined]
        action = known[binding.id].action.partition("(")[0]
        prefix, _, name = action.rpartition(".")
        home = {"app": Inspector, "screen": GroupsScreen}.get(prefix, owner)
        assert hasattr(home, f"action_{name}")


def test_no_key_means_two_things_in_one_place() -> None:
    for place in {command.place for command in COMMANDS}:
        keys = Counter(key for command in COMMANDS if command.place == place for key in command.keys.split(","))
        assert not [key for key, count in keys.items() if count > 1]


async def test_every_ink_has_a_style_in_every_theme() -> None:
    bench = Bench(live())
    async with bench.app.run_test() as pilot:
        table = bench.app.screen.query_one("#list", LineTable)
        for theme in BUILTIN_THEMES:
            bench.app.theme = theme
            await pilot.pause()
            assert all(table.get_component_rich_style(f"ink--{ink}") for ink in INKS)


def luminance(color: Color) -> float:
    """The relative luminance of WCAG 2."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    ("theme", "least"),
    [
        *(
            (BUILTIN_THEMES[name], 4)
            for name in ("textual-dark", "textual-light", "nord", "gruvbox", "dracula", "solarized-light")
        ),
        (HIGH_CONTRAST, 7),
    ],
    ids=lambda value: value.name if isinstance(value, Theme) else str(value),
)
def test_inks_can_be_read_on_their_ground(theme: Theme, least: float) -> None:
    ground = luminance(Color.parse(theme.to_color_system().generate()["background"]))
    for ink, value in (ink_variables(theme) | theme.variables).items():
        if ink.startswith("ink-"):
            low, high = sorted((ground, luminance(Color.parse(value))))
            assert (high + 0.05) / (low + 0.05) >= least, ink


def test_colours_are_written_down_in_one_place_only() -> None:
    package = Path(next(iter(spillscope_app.__path__)))
    files = [path for path in package.rglob("*") if path.suffix in (".py", ".tcss") and path.name != "palette.py"]
    for path in files:
        assert not re.search(r"#[0-9a-fA-F]{6}\b|ansi_(?!default|color|theme)", path.read_text("utf-8")), path
