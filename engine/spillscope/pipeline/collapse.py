"""Stage 4, `context_collapse`: committed spans are read as their summaries; the history keeps them (spec W6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from spillscope.messages import Message, field_of

COMMIT_TYPE = "marble-origami-commit"
"""The transcript's record of a committed span."""


class Span(NamedTuple):
    """A committed span: uuids of its first and last message, of its summary, and what stands there instead."""

    first: str
    last: str
    summary_uuid: str
    content: str


@dataclass(frozen=True, slots=True)
class CollapseContext:
    """`spans`: in the order in which they were committed; a later one may reach over the summary of an earlier one."""

    spans: Sequence[Span] = ()


class CollapseReport(NamedTuple):
    """`collapsed`: uuids of summaries in the messages. `widths`: how many messages each one stands for; None: one each."""

    collapsed: tuple[str, ...] = ()
    widths: tuple[int, ...] | None = None


def context_collapse(messages: list[Message], context: CollapseContext) -> tuple[list[Message], CollapseReport]:
    """The messages with each span that is among them as one message. A span whose ends are not there does nothing."""
    view, widths = messages, [1] * len(messages) if context.spans else []
    collapsed: dict[str, None] = {}
    for span in context.spans:
        places = {field_of(message, "uuid"): at for at, message in enumerate(view)}
        first, last = places.get(span.first), places.get(span.last)
        if first is None or last is None or last < first:
            continue
        for message in view[first : last + 1]:
            collapsed.pop(field_of(message, "uuid"), None)
        view = [*view[:first], _summary(span), *view[last + 1 :]]
        widths = [*widths[:first], sum(widths[first : last + 1]), *widths[last + 1 :]]
        collapsed[span.summary_uuid] = None
    if view is messages:
        return messages, CollapseReport()
    return view, CollapseReport(tuple(collapsed), tuple(widths))


def spans_of(records: Iterable[object]) -> list[Span]:
    """The spans that a transcript's records commit; malformed ones are none (S3)."""
    return [span for record in records if (span := _span(record)) is not None]


def _span(record: object) -> Span | None:
    if not isinstance(record, dict) or record.get("type") != COMMIT_TYPE:
        return None
    values: list[Any] = [record.get(key) for key in ("firstArchivedUuid", "lastArchivedUuid", "summaryUuid", "summaryContent")]
    return Span(*values) if all(isinstance(value, str) for value in values) else None


def _summary(span: Span) -> Message:
    message = {"role": "user", "content": span.content}
    return {"type": "user", "uuid": span.summary_uuid, "isMeta": True, "message": message}
