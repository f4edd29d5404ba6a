"""The README's key table is the command table."""

from __future__ import annotations

from pathlib import Path

from spillscope_app.commands import PLACE_NAMES, in_place

README = Path(__file__).parents[2] / "README.md"
START, END = "<!-- keys: made from the command table; a test compares -->\n", "<!-- /keys -->"


def key_table() -> str:
    """All commands, in the order in which help shows them."""
    rows = ["| where | keys | what they do |", "| --- | --- | --- |"]
    for place, name in PLACE_NAMES.items():
        for command in in_place(place):
            rows.append(f"| {name} | `{command.shown}` | {command.help} |")
            name = ""
    return "\n".join(rows) + "\n"


def test_the_readme_shows_the_command_table() -> None:
    text = README.read_text("utf-8")
    shown = text.partition(START)[2].partition(END)[0]
    assert shown == key_table(), f"put this into the README:\n{key_table()}"
