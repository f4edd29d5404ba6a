"""The content of a result in lines: what the model got, its original, its record."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len, chop_cells

from spillscope.session.contents import Look, What
from spillscope.session.reading import Group, Result
from spillscope.wrapper import PERSISTED_END, PERSISTED_TAG, Wrapper, parse_wrapper
from spillscope_app.format import compact, exact, plural, tool_name
from spillscope_app.spans import LONGEST_FOREIGN, Line, Paint, Span, foreign, left, line, right
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.views.facts import FIGURE, Facts
from spillscope_app.views.words import word_of

_TAB = 4

_MODEL_HEADS = {
    "inline": "This is what the model got.",
    "replacement": "The budget put this in its place; it stands there in every request since.",
    "would be": "Not sent yet. If it went out now, this would stand for it.",
    "cleared": "The agent cleared it later; before that the model had it.",
    "placeholder": "It was empty. This stands for it.",
}
_ORIGINAL_HEADS = {
    "inline": "In full in the transcript",
    "file": "In its spill file",
    "local": "The agent's local copy in the transcript",
}
_ABSENT = {
    "missing": "Its spill file is not there any more:",
    "unreadable": "Its spill file can't be read:",
    "unknown": "Nothing names its original: only the preview is left.",
    "gone": "The transcript no longer holds it: the file was rewritten.",
    "too large": "Too large to be shown here: its record is one line of",
}


def content_lines(what: What, look: Look, result: Result) -> Paint:
    """What was read of a result, under a line that says what it is; of an original, why there is none."""

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(width)
        if look.text is None:
            _absent(facts, look)
            return facts.lines
        _head(facts, what, look, result)
        facts.gap()
        ink_of = _wrapper_inks(look.text) if what == "model" else None
        facts.lines += text_lines(look.text, width, ink_of)
        if look.shown < look.total and what != "record":
            facts.gap()
            facts.say(line(Span(f"… {_size(look.total - look.shown)} more in the transcript", "warn")))
        return facts.lines

    return paint


def original_request(look: Look, result: Result) -> ViewerRequest:
    """An original, whole, for the viewer: its file, or the text that the transcript holds; or a file that may be asked for."""
    if look.source in ("outside", "moved"):
        return ViewerRequest((), path=look.path, outside=True, moved=look.source == "moved")
    facts = [line(Span(f"{_ORIGINAL_HEADS.get(look.source, '')}: {exact(result.row.chars)} chars.", "dim"))]
    if look.path is not None:
        facts.append(line(foreign(look.path, "dim")))
    elif look.shown < look.total:
        facts.append(line(Span(f"Its first {_size(look.shown)}, of {_size(look.total)}.", "warn")))
    return ViewerRequest(
        (),
        path=look.real,
        content=None if look.real is not None else (look.text or "").encode("utf-8", "surrogatepass"),
        facts=tuple(facts),
        preview_text=look.preview,
        json=look.real is not None and look.real.endswith(".json"),
    )


def reading_lines(width: int) -> Sequence[Line]:
    """While the content is under way."""
    return [line(Span("Reading …", "dim"))]


def choose_lines(group: Group) -> Paint:
    """For a group of several results, of which none is selected."""

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(width)
        facts.say(line(Span(f"{plural(len(group.results), 'result')}: open the group, and go to one of them.", "dim")))
        facts.gap()
        for result in group.results:
            head = (
                word_of(result).mark,
                Span(" "),
                *left(foreign(tool_name(result.row.tool)), 10),
                *right(Span(exact(result.row.chars)), FIGURE),
                Span("  "),
            )
            facts.say((*head, foreign(result.row.label, "dim")), 4)
        return facts.lines

    return paint


def _absent(facts: Facts, look: Look) -> None:
    size = f" {_size(look.total)}." if look.total else ""
    facts.say(line(Span(f"{_ABSENT.get(look.source, '')}{size}", "warn")))
    if look.path is not None:
        facts.say(line(foreign(look.path)), 2)


def _head(facts: Facts, what: What, look: Look, result: Result) -> None:
    if what == "record":
        facts.say(line(Span(f"One line of {_size(look.total)}. Long texts are cut.", "dim")))
        return
    facts.say(line(Span(_MODEL_HEADS.get(look.source, ""), "dim"), _measure(result)))
    if result.drift:
        facts.say(line(Span("! ", "over"), Span("The engine would have done otherwise: ", "dim"), foreign(result.drift)))


def _measure(result: Result) -> Span:
    saw = f" {exact(result.saw_chars)} chars ≈ {exact(result.saw_tokens)} tokens"
    if result.observed in ("persisted", "replaced"):
        return Span(f"{saw}, for {exact(result.row.chars)} chars.", "dim")
    return Span(f"{saw}.", "dim") if result.observed in ("inline", "empty", "image") else Span("")


def _size(count: int) -> str:
    return f"{compact(count)} bytes"


# --- text ---------------------------------------------------------------------------------------------------------------

InkOf = Callable[[int, str], Line]
"""The spans of a line of a text, by its number."""


def text_lines(text: str, width: int, spans_of: InkOf | None = None) -> list[Line]:
    """Foreign text line by line, each broken where the pane ends; a very long line is cut, and says by how much."""
    width = max(1, width)
    lines: list[Line] = []
    for number, raw in enumerate(text.split("\n")):
        row = raw.removesuffix("\r").expandtabs(_TAB)
        spans = spans_of(number, row) if spans_of is not None else (foreign(row),)
        for span in spans:
            lines += _folded(span, width)
        if len(row) > LONGEST_FOREIGN:
            lines.append(line(Span(f"… {len(row) - LONGEST_FOREIGN:,} more characters on this line", "warn")))
    return lines


def _folded(span: Span, width: int) -> list[Line]:
    text = span.text
    if len(text) <= width and (text.isascii() or cell_len(text) <= width):
        return [(span,) if text else ()]
    if text.isascii():
        return [(Span(text[at : at + width], span.ink),) for at in range(0, len(text), width)]
    return [(Span(piece, span.ink),) for piece in chop_cells(text, width)]


def _wrapper_inks(text: str) -> InkOf | None:
    """Marks of a preview: its tags and words stand apart from what the tool said, and so does the path."""
    wrapper = parse_wrapper(text)
    if wrapper is None:
        return None
    rows = text.split("\n")
    body = _body_of(rows, wrapper)

    def spans_of(number: int, row: str) -> Line:
        if number in body:
            return (foreign(row),)
        if row.strip() in (PERSISTED_TAG, PERSISTED_END):
            return (foreign(row, "persisted"),)
        before, path, after = row.partition(wrapper.path)
        if path:
            return (foreign(before, "persisted"), foreign(path, "strong"), *((foreign(after),) if after else ()))
        return (foreign(row, "persisted"),)

    return spans_of


def _body_of(rows: Sequence[str], wrapper: Wrapper) -> range:
    """Which lines are the preview itself: those after its heading, up to its dots or the end tag."""
    start = next((at + 1 for at, row in enumerate(rows) if row.lstrip().startswith("Preview (first")), len(rows))
    end = len(rows) - 1 if rows[-1].strip() == PERSISTED_END else len(rows)
    return range(start, end - 1 if wrapper.has_more and end > start and rows[end - 1] == "..." else end)
