"""`report --json`: what the report says of compactions, of broken caches and of what is to come (spec cli)."""

from __future__ import annotations

from typing import Any

from spillscope.session.compactions import judge_compactions, overdue, stopped, thrashing
from spillscope.session.reading import CacheBreak, Reading
from spillscope.session.session import iso_time
from spillscope.window.forecast import Forecast, Range

Json = dict[str, Any]


def compactions_section(reading: Reading) -> list[Json]:
    """Each compaction: what its boundary states, and where it stood by the rule (W2)."""
    return [
        {
            "at": iso_time(found.at),
            "trigger": found.trigger,
            "preTokens": found.pre_tokens,
            "postTokens": found.post_tokens,
            "verdict": judged.verdict,
            "tokens": judged.tokens,
            "expected": judged.expected,
            "turns": judged.turns,
            "assistantId": judged.assistant_id,
        }
        for found, judged in zip(reading.session.compactions, judge_compactions(reading), strict=True)
    ]


def compacting_entry(reading: Reading) -> Json:
    """W3: how compaction fares now."""
    return {
        "overdue": overdue(reading),
        "refusals": reading.refusals,
        "stopped": stopped(reading),
        "thrashing": bool(thrashing(judge_compactions(reading))),
    }


def forecast_entry(found: Forecast | None) -> Json | None:
    """W8, as turns and minutes to each mark."""
    if found is None:
        return None
    marks = {"AutoCompact": found.auto_compact, "Warning": found.warning, "Window": found.window}
    return {
        **{f"turnsTo{mark}": list(turns) for mark, turns in marks.items()},
        **{f"minutesTo{mark}": _minutes(found, turns) for mark, turns in marks.items()},
        "turns": found.turns,
        "tokensPerTurn": round(found.tokens_per_turn),
    }


def _minutes(found: Forecast, turns: Range) -> list[float] | None:
    minutes = found.minutes(turns)
    return None if minutes is None else list(minutes)


def break_entry(broken: CacheBreak | None) -> Json | None:
    """R6, and what the break cost in base input tokens (R5)."""
    if broken is None:
        return None
    return {
        "lost": broken.lost,
        "cause": broken.cause,
        "rewritten": broken.rewritten,
        "cost": round(broken.cost, 1),
        "about": list(broken.about),
    }
