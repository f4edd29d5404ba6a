"""W6: committed spans are read as their summaries."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conversation import Json
from spillscope.pipeline.collapse import CollapseContext, CollapseReport, Span, context_collapse, spans_of


def messages(names: str) -> list[Json]:
    return [{"type": "user", "uuid": name, "message": {"role": "user", "content": name}} for name in names]


def names(found: list[Json]) -> str:
    return "".join(message["uuid"] for message in found)


def span(first: str, last: str, summary: str) -> Span:
    return Span(first, last, summary, f"summary {summary}")


def test_without_spans_it_is_the_same_list() -> None:
    history = messages("abc")
    assert context_collapse(history, CollapseContext()) == (history, CollapseReport())
    assert context_collapse(history, CollapseContext([span("x", "b", "S"), span("c", "a", "T")]))[0] is history


def test_a_span_is_one_message() -> None:
    history = messages("abcde")
    found, report = context_collapse(history, CollapseContext([span("b", "d", "S")]))
    assert names(found) == "aSe"
    assert found[1]["message"] == {"role": "user", "content": "summary S"}
    assert found[0] is history[0]
    assert report == CollapseReport(("S",), (1, 3, 1))
    assert names(history) == "abcde"


def test_a_later_span_may_reach_over_an_earlier_one() -> None:
    spans = [span("b", "c", "S"), span("a", "S", "T"), span("b", "c", "U")]
    found, report = context_collapse(messages("abcde"), CollapseContext(spans))
    assert names(found) == "Tde"
    assert report == CollapseReport(("T",), (3, 1, 1))


def test_what_a_transcript_commits() -> None:
    record = {"type": "marble-origami-commit", "firstArchivedUuid": "a", "lastArchivedUuid": "b", "summaryUuid": "S"}
    whole = {**record, "summaryContent": "<collapsed>…</collapsed>", "collapseId": "1"}
    assert spans_of([None, record, {**whole, "summaryUuid": 3}, whole]) == [Span("a", "b", "S", "<collapsed>…</collapsed>")]


@given(st.lists(st.builds(span, *[st.sampled_from("abcdefST")] * 2, st.sampled_from("ST")), max_size=4))
def test_the_widths_always_account_for_the_history(spans: list[Span]) -> None:
    history = messages("abcdef")
    found, report = context_collapse(history, CollapseContext(spans))
    widths = report.widths if report.widths is not None else (1,) * len(found)
    assert len(widths) == len(found)
    assert sum(widths) == len(history)
