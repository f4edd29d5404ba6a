"""What the engine makes of one result: layer one, and what a decision of layer two means for it (spec P1, R1a, R2)."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from spillscope.blocks import empty_placeholder, units
from spillscope.budget.decide import GroupPlan, State
from spillscope.limits import Threshold
from spillscope.session.reading import Fate, Observed, Result
from spillscope.tokens.rough import rough_token_count
from spillscope.transcript.entries import Replacement
from spillscope.transcript.rows import ResultRow
from spillscope.wrapper import PERSISTED_END, PERSISTED_TAG, format_size, header_slack


class Seen(NamedTuple):
    """What the transcript proves of a result beyond its own content."""

    replacement: Replacement | None
    cleared: bool
    sent: bool


class Verdict(NamedTuple):
    """A decision about one result: its fate, the layer that changed it, the rule that decided, and its state after that."""

    fate: Fate
    layer: int | None
    rule: str
    state: State | None


def judge_alone(row: ResultRow, threshold: Threshold) -> Verdict | None:
    """P1: what layer one does; None when it keeps the result in full, which leaves it to the budget."""
    if row.content == "image":
        return Verdict("image", None, "P1", None)
    if row.content == "empty":
        return Verdict("placeholder", 1, "P3", None)
    if _is_over(row, threshold) and row.writable:
        return Verdict("persisted", 1, threshold.rule, None)
    return None


def _is_over(row: ResultRow, threshold: Threshold) -> bool:
    size = judged_chars(row)
    return size is None or size > threshold.chars


def judged_chars(row: ResultRow) -> int | None:
    """P1: the units that are held against a threshold; None for what was persisted whatever its threshold.

    A persisted result whose original is unknown, or known to a header's precision, has the benefit of the doubt.
    """
    if row.content != "wrapper":
        return row.chars
    if row.chars_source == "unknown" or _by_token_limit(row):
        return None
    slack = header_slack(row.notice.size) if row.chars_source == "header" and row.notice is not None else 0
    return row.chars + slack


def kept_rule(row: ResultRow, threshold: Threshold) -> str:
    """The rule by which layer one kept a result."""
    return "P4" if row.chars > threshold.chars else threshold.rule


def is_candidate(row: ResultRow) -> bool:
    """B1 and R1a, for a result that layer one kept: what the transcript holds persisted would stand there in full."""
    return row.candidate or row.content == "wrapper"


def judge_in_group(plan: GroupPlan, position: int, picked: Container[int], writable: bool, switch: bool) -> tuple[Fate, str]:
    """What layer two makes of a candidate, and by which rule; "" where it leaves the result to the rule of layer one.

    `picked`: the positions of the plan's picks. `switch`: whether the budget is on (L10).
    """
    if plan.states[position] == "mustReapply":
        return "replaced", "B4"
    if position in plan.exempt:
        return ("exempt", "B6") if switch else ("full", "")
    if position in picked:
        return ("replaced", "B7") if writable else ("full", "B9")
    if plan.over and switch and plan.states[position] == "fresh":
        return "full", "B7"
    return "full", ""


def observe(row: ResultRow, seen: Seen) -> Observed:
    """R2: what the transcript proves."""
    if seen.replacement is not None:
        return "replaced"
    if seen.cleared or row.content == "cleared":
        return "cleared"
    if row.content == "wrapper":
        return "persisted"
    if row.content in ("image", "empty"):
        return "image" if row.content == "image" else "empty"
    return "inline" if seen.sent else "pending"


def result_of(row: ResultRow, verdict: Verdict, threshold: Threshold, seen: Seen, path_chars: int) -> Result:
    """Both readings of one result, and whether they differ. `path_chars`: units of a spill path that the engine would give."""
    observed = observe(row, seen)
    saw_chars, saw_tokens = row.model_chars, row.tokens
    if seen.replacement is not None:
        saw_chars, saw_tokens = seen.replacement.chars, seen.replacement.tokens
    chars, tokens = engine_size(row, verdict.fate, seen.replacement, path_chars)
    return Result(
        row=row,
        state=None if observed == "cleared" else verdict.state,
        fate=verdict.fate,
        layer=verdict.layer,
        rule=verdict.rule,
        threshold=threshold,
        observed=observed,
        drift=drift(row, verdict, observed, threshold),
        model_chars=chars,
        model_tokens=tokens,
        saw_chars=saw_chars,
        saw_tokens=saw_tokens,
    )


def drift(row: ResultRow, verdict: Verdict, observed: Observed, threshold: Threshold) -> str | None:
    """R2: why what was observed differs from what the engine decided; None where the two agree.

    What a hook has spilled is none of the agent's decisions: under limits that are not the hook's it is no drift.
    """
    fate = verdict.fate
    if row.by_hook and observed == "persisted":
        return None
    if fate == "persisted" and observed in ("inline", "pending", "replaced"):
        return f"over its threshold of {threshold.chars:,.0f}, yet not persisted at the source"
    if fate == "replaced" and observed in ("inline", "persisted"):
        return "the budget would have replaced it" if observed == "inline" else "persisted, where the budget would have acted"
    if fate in ("full", "exempt") and observed == "persisted":
        if threshold.chars == float("inf"):
            return f"persisted, yet its threshold is infinite ({threshold.source})"
        return f"persisted, yet its {row.chars:,} units are not over its threshold of {threshold.chars:,.0f}"
    if fate in ("full", "exempt") and observed == "replaced":
        return "replaced by the budget, where the engine keeps it in full"
    return None


def differs(result: Result) -> bool:
    """R2: whether what a transcript shows of a result is not what was decided of it, whatever that is put down to."""
    verdict = Verdict(result.fate, result.layer, result.rule, result.state)
    return drift(result.row, verdict, result.observed, result.threshold) is not None


def _by_token_limit(row: ResultRow) -> bool:
    """S9: saved because of an MCP server's token limit, which no threshold of the agent explains."""
    return row.notice is not None and row.notice.size.endswith("characters")


def engine_size(row: ResultRow, fate: Fate, replacement: Replacement | None, path_chars: int) -> tuple[int, int]:
    """Units and T3 tokens of what the model gets under the engine's decision. `replacement`: the recorded one."""
    if fate == "replaced" and replacement is not None:
        return replacement.chars, replacement.tokens
    if fate in ("persisted", "replaced"):
        if row.content == "wrapper":
            return row.model_chars, row.tokens
        chars = wrapper_chars(row.chars, path_chars, row.preview_chars)
        return chars, rough_token_count(chars)
    if fate == "placeholder":
        chars = units(empty_placeholder(row.tool or ""))
        return chars, rough_token_count(chars)
    if row.content in ("wrapper", "cleared"):
        return row.chars, rough_token_count(row.chars)
    return row.model_chars, row.tokens


_FRAME = len(f"{PERSISTED_TAG}\nOutput too large (). Full output saved to: \n\nPreview (first 2KB):\n\n...\n{PERSISTED_END}")


def wrapper_chars(chars: int, path_chars: int, preview_chars: int) -> int:
    """Units of a wrapper (P10) around an original of `chars` units."""
    if preview_chars:
        return _FRAME + len(format_size(chars)) + path_chars + preview_chars
    return _FRAME - len("...\n") + len(format_size(chars)) + path_chars + chars
