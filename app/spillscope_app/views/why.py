"""Why a group or a result is as it is: the thresholds, the sums, the selection and the rule, with their sources."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spillscope.limits import DECLARED_MAX_RESULT_SIZE_CHARS, MAX_MCP_DECLARED_CHARS, Limits
from spillscope.session.advice import advice_on_compactions, advice_on_group, advice_on_result, strayed_compactions
from spillscope.session.judge import differs
from spillscope.session.reading import Group, Reading, Result
from spillscope_app.format import base_name, compact, exact, moment, plural, tool_name
from spillscope_app.spans import Line, Paint, Span, foreign, left, line, right
from spillscope_app.views.facts import FIGURE, NAME, Facts
from spillscope_app.views.words import FATES, OBSERVED, OVER, RULES, STATES, Word, word_of

_NEWEST_COMPACTIONS = 8


def why_group(reading: Reading, group: Group, pending: bool) -> Paint:
    """The Why of a whole message."""

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(width)
        facts.say(_group_head(reading, group, pending))
        facts.gap()
        _sums(facts, reading, group)
        _selection(facts, group, None)
        _advise(facts, [advice_on_group(group), *map(advice_on_result, group.results)])
        facts.gap()
        _budget_source(facts, reading)
        return facts.lines

    return paint


def why_result(reading: Reading, group: Group, position: int, pending: bool = False) -> Paint:
    """The Why of one result, and of its group where it is the only one."""

    def paint(width: int) -> Sequence[Line]:
        result = group.results[position]
        facts = Facts(width)
        _fate(facts, group, result, position)
        facts.gap()
        _threshold(facts, reading.limits, result)
        if result.layer != 1:
            facts.gap()
            _sums(facts, reading, group)
            _selection(facts, group, position)
        _advise(facts, [advice_on_result(result), advice_on_group(group)])
        facts.gap()
        _observed(facts, result)
        if len(group.results) == 1:
            facts.gap()
            facts.say(_group_head(reading, group, pending))
            _budget_source(facts, reading)
        return facts.lines

    return paint


def why_segments(reading: Reading) -> Paint:
    """What the line between old and present context stands for."""

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(width)
        facts.say(line("The groups above this line are no longer in the context. Their decisions stand as they were made."))
        for compaction in reading.session.compactions[-_NEWEST_COMPACTIONS:]:
            facts.gap()
            facts.say(
                line(Span("compaction", "title"), " ", moment(compaction.at), " ", foreign(compaction.trigger or "", "dim"))
            )
            for name, tokens in (("before", compaction.pre_tokens), ("after", compaction.post_tokens)):
                facts.value(name, exact(tokens) if tokens is not None else "not told", line(Span("tokens", "dim")))
        _advise(facts, [advice_on_compactions() if strayed_compactions(reading) else None])
        return facts.lines

    return paint


def _advise(facts: Facts, advice: Sequence[str | None]) -> None:
    """R7: what can be done about it, each sentence once."""
    for text in dict.fromkeys(filter(None, advice)):
        facts.gap()
        facts.say(line(Span("what you can do  ", "title"), text))


def _group_head(reading: Reading, group: Group, pending: bool) -> Line:
    if pending:
        when = Span("Not sent yet: what the engine would do if it went out now. ", "strong")
    else:
        when = Span(f"Sent; its newest result came {moment(group.timestamp)}. " if group.timestamp is not None else "Sent. ")
    gone = not pending and not reading.is_live(group)
    state = Span("No longer in the context. ", "dim") if gone else Span("")
    sizes = (
        f"{plural(len(group.results), 'result')}, {compact(group.chars)} chars; the model sees {compact(group.model_chars)}."
    )
    return line(when, state, sizes)


def _fate(facts: Facts, group: Group, result: Result, position: int) -> None:
    word = word_of(result)
    fate, ink = FATES[result.fate]
    rank = next((at for at, pick in enumerate(group.picks, 1) if pick.position == position), None)
    head = f", the budget's pick {rank} of {len(group.picks)}" if rank else ""
    facts.say(line(word.mark, " ", Span(fate, ink), Span(head), Span(f"  {result.rule}", "dim")))
    facts.say((Span(_reason(result, rank is not None)),))
    facts.gap()
    facts.value("original", exact(result.row.chars), line(Span(f"chars{_SOURCES[result.row.chars_source]}", "dim")))
    facts.value("model sees", exact(result.model_chars), line(Span(f"chars ≈ {exact(result.model_tokens)} tokens", "dim")))
    if result.state:
        state = STATES[result.state]
        note = line(state.mark, f" {state.name}  ", Span(state.meaning, "dim"))
        facts.say((*left(Span("state", "dim"), NAME), *note), NAME)


_SOURCES = {
    "inline": "",
    "file": " in its spill file",
    "local": " in the local result",
    "header": ", says its preview",
    "unknown": ", a guess: its original is gone",
}


def _reason(result: Result, picked: bool) -> str:
    threshold = exact(result.threshold.chars)
    if result.fate == "persisted":
        return f"{exact(result.row.chars)} is over its threshold of {threshold}: it went to a file as soon as it came."
    if result.fate == "replaced":
        return RULES["B7"] if picked else "A stored preview stands for it."
    if result.fate == "full" and result.rule == "B7":
        return "Kept: with the picks gone the group is inside its budget, or it could not be picked any more."
    if result.fate == "full" and result.rule.startswith("L8") and math.isfinite(result.threshold.chars):
        return f"Kept: {exact(result.row.chars)} is not over its threshold of {threshold}, and its group is inside the budget."
    return RULES.get(result.rule, "")


def _threshold(facts: Facts, limits: Limits, result: Result) -> None:
    tool, threshold = result.row.tool, result.threshold
    declared, override = limits.get_declared(tool), limits.overrides.get(tool) if tool else None
    facts.value("threshold", exact(threshold.chars), line(Span(threshold.rule, "dim")), strong=True)
    facts.value("  declared", exact(declared), _declared_note(limits, tool))
    if override is not None:
        usable = limits.get_override(tool)
        note = limits.source(f"overrides.{tool}") if usable is not None else "ignored: no finite number above 0"
        facts.value("  override", exact(usable) if usable is not None else "junk", (foreign(note, "dim"),))
    else:
        facts.value("  override", "none")
    facts.value("  default", exact(limits.default_threshold), (foreign(limits.source("default_threshold"), "dim"),))
    if threshold.chars == limits.get_persistence_threshold(tool).chars:
        facts.say(line(f"  → {_chain(limits, result)}"), 4)
    else:
        facts.say(line("  → decided under other limits than those in force now: ", foreign(threshold.source)), 4)


def _declared_note(limits: Limits, tool: str | None) -> Line:
    if tool is None:
        return (Span("a tool without a name", "dim"),)
    known = tool in limits.declared or tool in DECLARED_MAX_RESULT_SIZE_CHARS
    source = limits.sources.get(f"declared.{tool}", "its own" if known else "as any other tool")
    return (foreign(source, "dim"),)


def _chain(limits: Limits, result: Result) -> str:
    declared, chars = exact(limits.get_declared(result.row.tool)), exact(result.threshold.chars)
    match result.threshold.rule:
        case "L8.1":
            return "never persisted" if limits.persists else result.threshold.source
        case "L8.2":
            return f"{chars}, as the override says"
        case "L8.3" if (result.row.tool or "").startswith("mcp__") and result.row.tool in limits.declared:
            return f"{chars} = min({declared} declared, {exact(MAX_MCP_DECLARED_CHARS)})"
        case "L8.3":
            return f"{chars} = min({declared} declared, {exact(limits.default_threshold)})"
        case _:
            return f"{chars}, the default"


def _sums(facts: Facts, reading: Reading, group: Group) -> None:
    total = group.frozen + group.fresh
    sign = ">" if group.over_budget else "≤"
    verdict = Span(f"{sign} {exact(group.limit)}", "over" if group.over_budget else "")
    over = (Span(f"  {OVER.glyph} over", "over"),) if group.over_budget else ()
    facts.value("frozen", exact(group.frozen), line(Span("sent in full before", "dim")))
    facts.value("+ fresh", exact(group.fresh), line(Span("first sent with it", "dim")))
    facts.value("= counted", exact(total), (verdict, *over), strong=True)
    if group.exempt:
        facts.value("exempt", exact(group.exempt), line(Span("not counted", "dim")))
    if group.reapplied:
        facts.value("mustReapply", exact(group.reapplied), line(Span("not counted: previews stand for it", "dim")))
    facts.value("visible", exact(group.visible), line(Span("chars stay in full", "dim")))
    if group.over_budget and not reading.aggregate:
        facts.say(line(Span("The budget is off in this session, so nothing was replaced.", "warn")))


def _selection(facts: Facts, group: Group, chosen: int | None) -> None:
    if not group.picks:
        return
    facts.gap()
    facts.say(line(Span("selection", "title"), Span("  largest fresh first  B7", "dim")))
    for rank, pick in enumerate(group.picks, 1):
        result = group.results[pick.position]
        fits = pick.remaining <= group.limit
        rest = Span(f"{exact(pick.remaining)} left {'≤' if fits else '>'} {exact(group.limit)}", "dim")
        fate, ink = FATES[result.fate]
        _choice(facts, str(rank), result, (Span(fate, ink), Span("  "), rest), pick.position == chosen)
    picked = {pick.position for pick in group.picks}
    kept = [at for at, result in enumerate(group.results) if at not in picked and result.fate == "full"]
    for at in sorted(kept, key=lambda at: -group.results[at].row.chars):
        _choice(facts, "", group.results[at], (Span("kept", "dim"),), at == chosen)


def _choice(facts: Facts, rank: str, result: Result, note: Line, chosen: bool) -> None:
    head = (
        Span("▸" if chosen else " ", "title"),
        *right(Span(rank), 2),
        Span(" "),
        *left(foreign(tool_name(result.row.tool), "strong" if chosen else ""), 9),
        *right(Span(exact(result.row.chars)), FIGURE),
        Span("  "),
    )
    facts.say((*head, *note), 4)


def _budget_source(facts: Facts, reading: Reading) -> None:
    limit = reading.limits.get_per_message_budget_limit()
    facts.value("budget", exact(limit), (foreign(reading.limits.source("message_budget"), "dim"),), strong=True)
    facts.say(line("Believed to be ", foreign(reading.evidence, "dim")))


def _observed(facts: Facts, result: Result) -> None:
    facts.say(line(Span("call  ", "dim"), foreign(result.row.tool or "?", "strong"), "  ", foreign(result.row.label)), 6)
    facts.say(line(Span("observed  ", "dim"), f"{OBSERVED[result.observed]}"))
    if result.drift:
        facts.say(line(Span("! drift  ", "over"), foreign(result.drift)))
    elif differs(result):
        facts.say(line(Span("So it would be under your edits; the transcript shows how it was.", "warn")))
    elif result.observed != "pending":
        facts.say(line(Span("The transcript shows what the engine decided.", "dim")))
    if result.row.notice:
        facts.say(
            line(Span("file  ", "dim"), foreign(base_name(result.row.notice.path)), Span(f"  {result.row.notice.size}", "dim"))
        )


def title_of(group: Group, child: int, pending: bool) -> Line:
    """What the Why is about, for its rule: `group 12`, or the tool and its label."""
    if 0 <= child < len(group.results):
        result = group.results[child]
        word: Word = word_of(result)
        return line(word.mark, " ", foreign(result.row.tool or "?", "title"), " ", foreign(result.row.label, "dim"))
    return line(Span("the next request" if pending else f"group {group.number}", "title"))
