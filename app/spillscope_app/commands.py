"""The one table of commands. Bindings, footer, command palette and help all come from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType

Place = Literal[
    "anywhere",
    "groups",
    "find",
    "spills",
    "tools",
    "value",
    "timeline",
    "events",
    "sessions",
    "list",
    "text",
    "file",
    "viewer",
    "question",
    "sheet",
    "choice",
    "export",
    "file name",
]
"""Where a command's keys work: in the whole app, on one of its screens, in a list, in a text, in a text or file of any size,
in the viewer around one, at a question, on a sheet over the screen, at a choice, or around an export."""

PLACE_NAMES: dict[Place, str] = {
    "list": "In the list",
    "text": "In a text",
    "file": "In a file",
    "viewer": "In the viewer",
    "groups": "On the main screen",
    "find": "In the line to find",
    "spills": "Among the spills",
    "tools": "Among the tools",
    "value": "In the line for a value",
    "timeline": "On the timeline",
    "events": "Among the events",
    "sessions": "Among the sessions",
    "anywhere": "Anywhere",
}
"""The places in the order in which help shows them; the keys of a question or a sheet stand below it."""


@dataclass(frozen=True, slots=True)
class Command:
    """A thing that a user can do. `keys`: comma-separated, as Textual writes them; `shown`: as people read them.

    `description` is the word in the footer, `help` the sentence in help and palette. `footer`: its rank among
    those that are shown there while they work, the lowest the first to go where there is little room; 0: not shown.
    `priority`: its key comes before whatever else it does where the focus is.
    """

    id: str
    place: Place
    keys: str
    shown: str
    action: str
    description: str
    help: str
    footer: int = 0
    in_palette: bool = True
    priority: bool = False

    @property
    def key(self) -> str:
        """The first of its keys, as Textual writes it: the one that is shown."""
        return self.keys.partition(",")[0]


COMMANDS: tuple[Command, ...] = (
    Command("up", "list", "up,k", "↑ k", "move(-1)", "up", "One row up.", in_palette=False),
    Command("down", "list", "down,j", "↓ j", "move(1)", "down", "One row down.", in_palette=False),
    Command("page-up", "list", "pageup", "PgUp", "page(-1)", "page up", "One screenful up.", in_palette=False),
    Command("page-down", "list", "pagedown", "PgDn", "page(1)", "page down", "One screenful down.", in_palette=False),
    Command("first", "list", "g,home", "g Home", "edge('first')", "first", "To the oldest row.", in_palette=False),
    Command("last", "list", "G,end", "G End", "edge('last')", "last", "To the newest row.", in_palette=False),
    Command(
        "open",
        "list",
        "enter,space",
        "enter",
        "enter",
        "open",
        "Open or close a group; on a result, go to its detail.",
        footer=9,
        in_palette=False,
    ),
    Command("deeper", "list", "right,l", "→ l", "fold(True)", "deeper", "Open a group, or go into it.", in_palette=False),
    Command("out", "list", "left,h", "← h", "fold(False)", "out", "Close a group, or leave it.", in_palette=False),
    Command("expand", "list", "e", "e", "expand(True)", "open all", "Open every group.", in_palette=False),
    Command("collapse", "list", "E", "E", "expand(False)", "close all", "Close every group.", in_palette=False),
    Command("text-up", "text", "up,k", "↑ k", "scroll(-1)", "up", "One line up.", in_palette=False),
    Command("text-down", "text", "down,j", "↓ j", "scroll(1)", "down", "One line down.", in_palette=False),
    Command("text-page-up", "text", "pageup", "PgUp", "scroll_page(-1)", "page up", "One screenful up.", in_palette=False),
    Command(
        "text-page-down",
        "text",
        "pagedown,space",
        "PgDn",
        "scroll_page(1)",
        "page down",
        "One screenful down.",
        in_palette=False,
    ),
    Command("text-first", "text", "g,home", "g Home", "scroll_edge('first')", "first", "To the first line.", in_palette=False),
    Command("text-last", "text", "G,end", "G End", "scroll_edge('last')", "last", "To the last line.", in_palette=False),
    Command("find-in-file", "file", "slash", "/", "find", "find", "A text in it; all in lower case finds any case.", footer=8),
    Command("next-in-file", "file", "n", "n", "match(1)", "next match", "The next match.", in_palette=False),
    Command("last-in-file", "file", "N", "N", "match(-1)", "match before", "The match before.", in_palette=False),
    Command("form", "file", "v", "v", "turn", "other form", "As text, as hex, and folded where it is JSON.", footer=6),
    Command("follow-file", "file", "f", "f", "follow", "follow", "Stay at its end while it grows, until you move.", footer=4),
    Command(
        "fold", "file", "enter", "enter", "fold('turn')", "fold", "Open or close a part of JSON.", footer=7, in_palette=False
    ),
    Command("open-part", "file", "right,l", "→ l", "fold('open')", "open", "Open a part of JSON.", in_palette=False),
    Command(
        "close-part", "file", "left,h", "← h", "fold('close')", "close", "Close it, or go to what it is in.", in_palette=False
    ),
    Command("open-parts", "file", "plus", "+", "fold_all(False)", "open all", "Open every part of JSON."),
    Command("close-parts", "file", "minus", "-", "fold_all(True)", "close all", "Close every part of JSON."),
    Command("select", "file", "V", "V", "select(0)", "select", "Select lines from here on: go on with the arrows.", footer=3),
    Command("select-down", "file", "shift+down", "⇧↓", "select(1)", "one more", "Select one more line.", in_palette=False),
    Command("select-up", "file", "shift+up", "⇧↑", "select(-1)", "one less", "Select one line less.", in_palette=False),
    Command("copy", "file", "y", "y", "copy", "copy", "Copy the selected lines; what could act stands as escapes.", footer=3),
    Command("copy-file-path", "file", "Y", "Y", "copy_path", "copy path", "Copy the path of the file."),
    Command("pager", "file", "L", "L", "hand('PAGER')", "pager", "Open the file in $PAGER, and come back."),
    Command("editor", "file", "D", "D", "hand('EDITOR')", "editor", "Open the file in $EDITOR: what you save there is yours."),
    Command("confirm", "file", "O", "O", "confirm", "open outside", "Open a file outside, after a question.", footer=9),
    Command(
        "leave-file",
        "file",
        "escape",
        "esc",
        "leave",
        "back",
        "Stop a search; then select nothing.",
        footer=2,
        in_palette=False,
    ),
    Command("leave-viewer", "viewer", "escape,q", "esc", "close", "close", "Close the viewer.", footer=9, in_palette=False),
    Command(
        "model-beside",
        "viewer",
        "m",
        "m",
        "model",
        "what the model saw",
        "What the model saw, beside the whole or in its place.",
        footer=7,
    ),
    Command("yes", "question", "y", "y", "answer(True)", "yes", "Open it.", footer=9, in_palette=False),
    Command("no", "question", "n,escape,q", "n", "answer(False)", "no", "Leave it closed.", footer=9, in_palette=False),
    Command("detail", "groups", "tab", "tab", "detail", "detail", "Go to the detail of the selected row, and back.", footer=7),
    Command("model", "groups", "m", "m", "tab('model')", "model view", "What the model got of the selected result."),
    Command("original", "groups", "o", "o", "tab('original')", "original", "The original of the selected result."),
    Command("why", "groups", "w", "w", "tab('why')", "why", "Why the selected row is as it is."),
    Command("record", "groups", "r", "r", "tab('record')", "record", "The raw record of the selected result."),
    Command("next-tab", "groups", "full_stop", ".", "step_tab(1)", "next tab", "The next tab of the detail.", in_palette=False),
    Command(
        "previous-tab", "groups", "comma", ",", "step_tab(-1)", "tab before", "The tab before in the detail.", in_palette=False
    ),
    Command(
        "flip",
        "groups",
        "b",
        "b",
        "app.flip",
        "budget on/off",
        "What would the other setting of the budget's switch have done? And back.",
    ),
    Command(
        "back",
        "groups",
        "escape",
        "esc",
        "back",
        "back",
        "One step back: to the list, to no filter, at last to live.",
        footer=2,
        in_palette=False,
    ),
    Command(
        "find",
        "groups",
        "slash",
        "/",
        "find",
        "find",
        "Only what has a text in its call, tool or id; then enter: or content.",
        footer=8,
    ),
    Command(
        "leave-find",
        "find",
        "down,tab",
        "↓",
        "screen.leave_find",
        "to the list",
        "To the list, still filtered.",
        footer=7,
        in_palette=False,
    ),
    Command("next-match", "groups", "n", "n", "match(1)", "next match", "The next match of the filter.", in_palette=False),
    Command("last-match", "groups", "N", "N", "match(-1)", "match before", "The match before.", in_palette=False),
    Command(
        "by-state", "groups", "s", "s", "filter('state')", "one state", "Only mustReapply, only frozen, and so on in turn."
    ),
    Command("by-tool", "groups", "t", "t", "filter('tool')", "this tool", "Only the tool of the selected row."),
    Command("by-spilled", "groups", "p", "p", "filter('spilled')", "spilled", "Only what was spilled."),
    Command("by-over", "groups", "v", "v", "filter('over')", "over budget", "Only groups over their budget."),
    Command("spill", "groups", "d", "d", "spill", "its spill", "To the file of the selected result, among the spills."),
    Command("unfiltered", "groups", "x", "x", "filter('clear')", "no filter", "Clear the filter."),
    Command("follow", "groups", "f", "f", "follow", "follow", "Follow the newest group until you move.", footer=6),
    Command(
        "spill-detail",
        "spills",
        "tab",
        "tab",
        "detail",
        "detail",
        "Go to what is known of the selected file, and back.",
        footer=7,
    ),
    Command(
        "spill-group",
        "spills",
        "d",
        "d",
        "group",
        "its group",
        "To the group that made the selected file; d there comes back.",
        footer=6,
    ),
    Command(
        "sort-spills", "spills", "s", "s", "sort", "sort", "By group, by size, by age, the gravest first, in turn.", footer=5
    ),
    Command(
        "by-origin", "spills", "o", "o", "filter('origin')", "one origin", "Only results, only the budget's, and so on in turn."
    ),
    Command(
        "by-badge",
        "spills",
        "b",
        "b",
        "filter('badge')",
        "one badge",
        "Only the missing ones, and so on in turn: what was found of any.",
    ),
    Command(
        "by-fault",
        "spills",
        "v",
        "v",
        "filter('faults')",
        "faults",
        "Only files that are not what the transcript takes them for.",
        footer=4,
    ),
    Command("all-spills", "spills", "x", "x", "filter('clear')", "no filter", "Clear the filter."),
    Command(
        "find-spill",
        "spills",
        "slash",
        "/",
        "find",
        "find",
        "Only what has a text in its call, tool, file name or id.",
        footer=8,
    ),
    Command("next-spill", "spills", "n", "n", "match(1)", "next match", "The next match of the filter.", in_palette=False),
    Command("last-spill", "spills", "N", "N", "match(-1)", "match before", "The match before.", in_palette=False),
    Command("copy-path", "spills", "Y", "Y", "copy", "copy path", "Copy the path of the selected file."),
    Command("follow-spills", "spills", "f", "f", "follow", "follow", "Order by group, and follow the newest until you move."),
    Command(
        "leave-spills",
        "spills",
        "escape",
        "esc",
        "back",
        "back",
        "One step back: to the list, to no filter, to the groups.",
        footer=2,
        in_palette=False,
    ),
    Command("more", "tools", "plus", "+", "nudge(1)", "more", "The next round number up; hold it to go faster.", footer=8),
    Command("less", "tools", "minus", "-", "nudge(-1)", "less", "The next round number down; hold it to go faster.", footer=8),
    Command(
        "type-value",
        "tools",
        "enter",
        "enter",
        "type('overrides')",
        "type",
        "Type a value: 12k, 1.5M; inf opts the tool out.",
        footer=9,
        in_palette=False,
        priority=True,
    ),
    Command("type-declared", "tools", "d", "d", "type('declared')", "declared", "Type what the tool itself declares."),
    Command("unset", "tools", "u", "u", "unset", "unset", "Take away what is set: what the tool declares holds.", footer=6),
    Command("undo", "tools", "z", "z", "undo(1)", "undo", "Take the last change back.", footer=5),
    Command("redo", "tools", "Z", "Z", "undo(-1)", "redo", "Make it again."),
    Command(
        "turn-mode",
        "tools",
        "t",
        "t",
        "turn_mode",
        "start/now",
        "As if the edits had held from the start; or from now on, where nothing that was sent changes.",
        footer=5,
    ),
    Command("presets", "tools", "p", "p", "presets", "presets", "Begin from the policy of another agent.", footer=4),
    Command(
        "save", "tools", "s", "s", "save", "save", "Write the edits to a limits file: a running engine takes them up.", footer=7
    ),
    Command(
        "export", "tools", "x", "x", "export", "export", "As settings to take home: environment, MCP, flags, TOML.", footer=6
    ),
    Command(
        "flips",
        "tools",
        "tab",
        "tab",
        "detail",
        "what flips",
        "Go to the results that flip, and back; enter goes to one.",
        footer=7,
    ),
    Command(
        "leave-tools",
        "tools",
        "escape",
        "esc",
        "back",
        "back",
        "One step back: to the list, to the groups. The edits stay.",
        footer=2,
        in_palette=False,
    ),
    Command(
        "leave-value",
        "value",
        "escape,up,down,tab",
        "esc",
        "screen.leave_value",
        "leave",
        "Leave the value as it was.",
        footer=9,
        in_palette=False,
    ),
    Command("step-back", "timeline", "left,h", "← h", "app.step(-1)", "back", "One request back.", footer=8, in_palette=False),
    Command("step-on", "timeline", "right,l", "→ l", "app.step(1)", "on", "One request on.", footer=8, in_palette=False),
    Command("facts-up", "timeline", "up,k", "↑ k", "scroll_facts(-1)", "up", "Scroll what is known of it.", in_palette=False),
    Command("facts-down", "timeline", "down,j", "↓ j", "scroll_facts(1)", "down", "And on.", in_palette=False),
    Command("leap-back", "timeline", "pageup", "PgUp", "app.step(-10)", "10 back", "Ten requests back.", in_palette=False),
    Command("leap-on", "timeline", "pagedown", "PgDn", "app.step(10)", "10 on", "Ten requests on.", in_palette=False),
    Command(
        "first-request", "timeline", "home,g", "Home g", "jump('first')", "first", "To the first request.", in_palette=False
    ),
    Command("go-live", "timeline", "G", "G", "app.live", "live", "Back to the session as it stands now.", in_palette=False),
    Command(
        "first-over", "timeline", "v", "v", "jump('over')", "over budget", "To the first request with a group over budget."
    ),
    Command("largest", "timeline", "m", "m", "jump('largest')", "largest", "To the request that carried the most."),
    Command("next-break", "timeline", "n", "n", "jump('next break')", "next break", "To the next cache break.", footer=5),
    Command("last-break", "timeline", "N", "N", "jump('last break')", "break before", "To the break before.", in_palette=False),
    Command(
        "next-cut", "timeline", "c", "c", "jump('next cut')", "next compaction", "To the next one that began anew.", footer=4
    ),
    Command("last-cut", "timeline", "C", "C", "jump('last cut')", "one before", "To the one before.", in_palette=False),
    Command("zoom-in", "timeline", "plus", "+", "zoom(1)", "closer", "Fewer requests, each wider.", footer=6),
    Command("zoom-out", "timeline", "minus", "-", "zoom(-1)", "wider", "More requests, at last all of them.", footer=6),
    Command(
        "leave-timeline",
        "timeline",
        "escape",
        "esc",
        "back",
        "back",
        "Back to live; then back to the groups.",
        footer=2,
        in_palette=False,
    ),
    Command("follow-events", "events", "f", "f", "follow", "follow", "Follow the newest event until you move.", footer=6),
    Command(
        "leave-events",
        "events",
        "escape",
        "esc",
        "app.show_mode('groups')",
        "back",
        "Back to the groups.",
        footer=2,
        in_palette=False,
    ),
    Command(
        "search-sessions",
        "sessions",
        "slash",
        "/",
        "search",
        "search",
        "Find sessions by words of their directory, id or model; enter opens.",
        footer=8,
    ),
    Command(
        "into-list",
        "sessions",
        "down",
        "↓",
        "into_list",
        "to the list",
        "From the search to the list.",
        in_palette=False,
    ),
    Command(
        "leave-sessions",
        "sessions",
        "escape",
        "esc",
        "leave",
        "back",
        "Clear the search; then back to the groups.",
        footer=2,
        in_palette=False,
    ),
    Command("groups", "anywhere", "1", "1", "app.show_mode('groups')", "groups", "The messages with their results.", footer=1),
    Command(
        "spills",
        "anywhere",
        "2",
        "2",
        "app.show_mode('spills')",
        "spills",
        "Every spilled file, and what is found of it.",
        footer=4,
    ),
    Command(
        "tools",
        "anywhere",
        "3",
        "3",
        "app.show_mode('tools')",
        "tools",
        "Every tool with its threshold: change it, and see at once what that would have done.",
        footer=4,
    ),
    Command(
        "timeline",
        "anywhere",
        "4",
        "4",
        "app.show_mode('timeline')",
        "timeline",
        "The context request by request, and the session as it stood at any of them.",
        footer=4,
    ),
    Command("events", "anywhere", "5", "5", "app.show_mode('events')", "events", "What was decided, as it happens.", footer=3),
    Command(
        "sessions",
        "anywhere",
        "6",
        "6",
        "app.show_mode('sessions')",
        "sessions",
        "All sessions of all projects; enter opens one.",
        footer=4,
    ),
    Command("sums", "anywhere", "equals_sign", "=", "app.sums", "sums", "The arithmetic of the gauge, line by line.", footer=5),
    Command(
        "back-in-time",
        "anywhere",
        "less_than_sign",
        "<",
        "app.step(-1)",
        "earlier",
        "The session as it stood a request before.",
    ),
    Command("on-in-time", "anywhere", "greater_than_sign", ">", "app.step(1)", "later", "The session one request later."),
    Command(
        "live",
        "anywhere",
        "end",
        "End",
        "app.live",
        "live",
        "From a request of the past back to the session as it stands now.",
        footer=12,
        in_palette=False,
        priority=True,
    ),
    Command(
        "end-what-if",
        "anywhere",
        "0",
        "0",
        "app.end_what_if",
        "end what-if",
        "End the what-if: the limits as they are in force. z among the tools brings the edits back.",
        footer=11,
    ),
    Command(
        "newer",
        "anywhere",
        "right_square_bracket",
        "]",
        "app.go_to_newer",
        "newer session",
        "Go to the live session of this project that began after this one.",
    ),
    Command(
        "close",
        "sheet",
        "escape,q,enter,question_mark,equals_sign",
        "esc",
        "close",
        "close",
        "Close this.",
        footer=9,
        in_palette=False,
    ),
    Command("close-choice", "choice", "escape,q", "esc", "close", "close", "Choose nothing.", footer=8, in_palette=False),
    Command("next-form", "export", "right,tab,l", "→", "turn(1)", "next form", "The next form.", footer=7, in_palette=False),
    Command("last-form", "export", "left,h", "←", "turn(-1)", "form before", "The form before.", in_palette=False),
    Command("copy-export", "export", "y,c", "y", "copy", "copy", "Copy the text.", footer=8, in_palette=False),
    Command(
        "write-export", "export", "w", "w", "write", "write a file", "Write the text to a file.", footer=8, in_palette=False
    ),
    Command("close-export", "export", "escape,q", "esc", "close", "close", "Close it.", footer=9, in_palette=False),
    Command(
        "leave-file-name",
        "file name",
        "escape,up,down,tab",
        "esc",
        "screen.leave_name",
        "leave",
        "Write no file.",
        footer=9,
        in_palette=False,
    ),
    Command("help", "anywhere", "question_mark,f1", "?", "app.help", "help", "What the words, marks and keys mean.", footer=11),
    Command(
        "palette",
        "anywhere",
        "ctrl+p",
        "^p",
        "app.command_palette",
        "commands",
        "Find a command by its name.",
        in_palette=False,
    ),
    Command(
        "suspend",
        "anywhere",
        "ctrl+z",
        "^z",
        "app.suspend_process",
        "suspend",
        "Stop for now and give the terminal back; fg comes back.",
        in_palette=False,
    ),
    Command("quit", "anywhere", "q,ctrl+q", "q", "app.quit", "quit", "Leave. Nothing was written to the session.", footer=10),
)


def in_place(*places: Place) -> Iterable[Command]:
    """The commands of some places, in table order."""
    return (command for command in COMMANDS if command.place in places)


def bindings(*places: Place) -> list[BindingType]:
    """Textual's bindings for the commands of some places."""
    return [
        Binding(
            command.keys,
            command.action,
            command.description,
            show=command.footer > 0,
            key_display=command.shown,
            tooltip=command.help,
            id=command.id,
            priority=command.priority,
        )
        for command in in_place(*places)
    ]
