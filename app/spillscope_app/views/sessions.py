"""The picker's list: a session a row, its sub-agents below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from spillscope.limits import Limits
from spillscope.session.listing import Listed
from spillscope.transcript.layout import is_helper
from spillscope.window.models import resolve_window
from spillscope_app.catalog import Catalog, Entry
from spillscope_app.format import age, base_name, compact, is_live, model_name, plural, short
from spillscope_app.spans import Ink, Line, Paint, Piece, Span, beside, cut_start, foreign, left, line, right, spread
from spillscope_app.views.facts import Facts
from spillscope_app.widgets.outline import GUTTER, ITSELF

_AGE, _ID, _TOKENS, _PERCENT, _WINDOW = 10, 8, 6, 5, 6
_ROOMY, _PLAIN, _TIGHT = 110, 76, 46
"""Widths from which on a row has all its columns, most of them, or more than the least."""


class Columns(NamedTuple):
    """Cells of each column at a width; 0: left out."""

    age: int
    name: int
    id: int
    model: int
    meter: int
    tokens: int
    percent: int
    window: int
    agents: int


def columns(width: int) -> Columns:
    """The columns that a row of `width` cells (gutter not counted) has room for."""
    roomy, plain, tight = width >= _ROOMY, width >= _PLAIN, width >= _TIGHT
    fixed = Columns(
        age=_AGE,
        name=0,
        id=_ID if plain else 0,
        model=16 if roomy else 10 if plain else 0,
        meter=16 if roomy else 10 if plain else 6 if tight else 0,
        tokens=_TOKENS if tight else 0,
        percent=_PERCENT if width >= 24 else 0,
        window=_WINDOW if roomy else 0,
        agents=10 if roomy else 3 if plain else 0,
    )
    used = sum(cells + 1 for cells in fixed if cells)
    return fixed._replace(name=max(1, width - used))


def heading(width: int) -> Line:
    """The names of the columns, for a list of `width` cells with its gutter."""
    cols = columns(max(0, width - GUTTER))
    return beside(
        (Span(" "),),
        left(Span("written", "dim"), cols.age),
        left(Span("project", "dim"), cols.name),
        left(Span("session", "dim"), cols.id),
        left(Span("model", "dim"), cols.model),
        left(Span("context", "dim"), cols.meter),
        right(Span("tokens", "dim"), cols.tokens),
        right(Span("full", "dim"), cols.percent),
        right(Span("window", "dim"), cols.window),
        left(Span("agents" if cols.agents > 3 else "ag.", "dim"), cols.agents),
    )


class SessionItems:
    """`Items` over sessions. `numbers` gives each path its lasting number; `shown`: the session that is open."""

    def __init__(self, entries: Sequence[Entry], numbers: Mapping[str, int], now: float, shown: str) -> None:
        self.entries, self._numbers, self._now, self._shown = entries, numbers, now, shown
        self._at = {numbers[entry.path]: at for at, entry in enumerate(entries)}

    def __len__(self) -> int:
        return len(self.entries)

    def ident(self, at: int) -> int:
        return self._numbers[self.entries[at].path]

    def find(self, ident: int) -> int | None:
        return self._at.get(ident)

    def children(self, at: int) -> int:
        return len(self.entries[at].agents)

    def path(self, at: int, child: int) -> str:
        """The file of a row."""
        entry = self.entries[at]
        return entry.path if child == ITSELF or child >= len(entry.agents) else entry.agents[child].path

    def counts(self) -> list[int]:
        return [len(entry.agents) for entry in self.entries]

    def matches(self, at: int, child: int) -> bool:
        return False

    def line(self, at: int, child: int, width: int) -> Line:
        entry, cols = self.entries[at], columns(width)
        if child == ITSELF:
            return _session_line(entry, cols, self._now, is_shown=entry.path == self._shown)
        return _agent_line(entry.agents[child], cols, self._now, is_shown=entry.agents[child].path == self._shown)


def _session_line(entry: Entry, cols: Columns, now: float, *, is_shown: bool) -> Line:
    name = project_of(entry)
    ink: Ink = "title" if is_shown else "strong" if is_live(entry.last_write, now) else ""
    mark = (Span("▸ ", "title"),) if is_shown else ()
    title = foreign(name, ink)
    agents = len(entry.agents)
    words = plural(agents, "agent") if cols.agents > 3 else str(agents)
    return beside(
        left(_age(entry.last_write, now), cols.age),
        left((*mark, Span(cut_start(title.text, cols.name - 2 * is_shown), ink)), cols.name),
        left(foreign(_stem(entry.path)[:_ID], "dim"), cols.id),
        *_gauge(entry.listed, cols),
        left(Span(words if agents else "", "dim"), cols.agents),
    )


def _agent_line(agent: Listed, cols: Columns, now: float, *, is_shown: bool) -> Line:
    name = agent.id.removeprefix("agent-")
    helper = is_helper(name)
    ink: Ink = "title" if is_shown else "dim" if helper else ""
    note = (Span("  helper fork: repeats its session's context", "dim"),) if helper else ()
    return beside(
        left(_age(agent.last_write, now), cols.age),
        left((Span("└ ", "faint"), foreign(name, ink), *note), cols.name),
        left(Span("helper" if helper else "agent", "dim"), cols.id),
        *_gauge(agent, cols),
        left(Span(""), cols.agents),
    )


def _age(last_write: float, now: float) -> Line:
    quiet = age(now - last_write)
    return line(Span("● ", "fresh"), Span(f"live {quiet}", "strong")) if is_live(last_write, now) else line(Span(f"  {quiet}"))


def _gauge(listed: Listed | None, cols: Columns) -> tuple[Line, ...]:
    """Model, bar, tokens, percent and window; blank until they are known."""
    if listed is None or listed.context_tokens is None or listed.highest_tokens is None:
        model = foreign(model_name(listed.model), "dim") if listed and listed.model else Span("…" if listed is None else "")
        blanks = (cols.meter, cols.tokens, cols.percent, cols.window)
        return (left(model, cols.model), *(left(Span(""), cells) for cells in blanks))
    tokens = listed.context_tokens
    window = resolve_window(listed.model, tokens, Limits())
    percent, most = window.percent_used(tokens), listed.highest_tokens  # a colour goes by the band's upper end (T9)
    ink: Ink = "over" if most > window.size else "warn" if most >= window.auto_compact > 0 else "gauge"
    return (
        left(foreign(model_name(listed.model or ""), "dim"), cols.model),
        thin_bar(percent / 100, cols.meter, ink),
        right(Span(compact(tokens)), cols.tokens),
        right(Span(f"{percent:.0f} %", "dim" if ink == "gauge" else ink), cols.percent),
        right(Span(f"{'≈' if window.guessed else ''}{short(window.size)}", "dim"), cols.window),
    )


def thin_bar(share: float, cells: int, ink: Ink) -> Line:
    """A bar that leaves air between rows: heavy as far as it is filled, in half cells, then faint."""
    halves = min(2 * cells, max(int(share > 0), round(share * 2 * cells)))
    filled = "━" * (halves // 2) + "╸" * (halves % 2)
    return (Span(filled, ink), Span("─" * (cells - len(filled)), "faint")) if cells else ()


def project_of(entry: Entry) -> str:
    """Where a session works, as its records say it; the folder's lossy name until they are read."""
    listed = entry.listed
    return listed.cwd if listed is not None and listed.cwd else base_name(entry.folder)


def _stem(path: str) -> str:
    return base_name(path).removesuffix(".jsonl")


def finder(query: str) -> Callable[[Entry], bool]:
    """Whether a session is meant: every word of the query stands in its directory, id or model, whatever the case."""
    words = query.casefold().split()

    def is_meant(entry: Entry) -> bool:
        model = entry.listed.model if entry.listed is not None else ""
        text = f"{project_of(entry)} {base_name(entry.folder)} {_stem(entry.path)} {model}".casefold()
        return all(word in text for word in words)

    return is_meant


def header(catalog: Catalog | None, shown: int, now: float, width: int) -> tuple[Line, ...]:
    """What is listed, and how far it has come."""
    at_left = [Piece(6, (Span("spillscope", "title"),)), Piece(8, (Span("Sessions", "strong"),))]
    at_right: list[Piece] = []
    if catalog is not None:
        at_left.append(Piece(2, (foreign(catalog.root, "dim"),)))
        total = len(catalog.entries)
        live = sum(is_live(entry.last_write, now) for entry in catalog.entries)
        counted = f"{shown:,} of {total:,}" if shown != total else plural(total, "session")
        at_right = [Piece(7, (Span(counted, "strong"),)), Piece(5, (Span(f"● {live} live", "fresh" if live else "faint"),))]
        if catalog.looked_at < total:
            at_right.insert(0, Piece(4, (Span(f"reading {catalog.looked_at:,} …", "dim"),)))
    inner = spread(at_left, at_right, max(0, width - 2))
    return ((Span(" "), *inner, Span(" ")),)


def waiting(awaited: str, width: int) -> tuple[Line, ...]:
    """What is waited for, in one line."""
    head, room = "Waiting for a session of ", max(0, width - 2)
    where = Span(cut_start(foreign(awaited).text, room - len(head)), "strong")
    told = [
        Piece(9, (Span(head, "warn"), where)),
        Piece(5, (Span("it opens here as soon as an agent begins one", "dim"),)),
    ]
    return ((Span(" "), *spread(told, [], room)),)


def nothing_to_pick(catalog: Catalog | None, query: str) -> Paint:
    """The empty and error states."""

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(max(1, width - 4))
        facts.gap()
        for sentence in _why_empty(catalog, query):
            facts.say(sentence)
            facts.gap()
        return [(Span("  "), *spans) for spans in facts.lines]

    return paint


def _why_empty(catalog: Catalog | None, query: str) -> list[Line]:
    if catalog is None:
        return [line(Span("Looking for sessions …", "title"))]
    where = line(foreign(catalog.root, "dim"))
    if catalog.trouble is not None:
        again = line("It is looked at again every few seconds: an agent makes this folder with its first session.")
        return [line(Span("There are no sessions to list yet.", "title")), line(foreign(catalog.trouble)), where, again]
    if query and catalog.entries:
        return [line(Span("No session is called so.", "title")), line("esc clears the search.")]
    appear = line("They appear here as soon as an agent writes its first record.")
    return [line(Span("There are no sessions yet.", "title")), where, appear]
