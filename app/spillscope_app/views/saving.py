"""What saving to a file means, in sentences; and what there is to say of a policy to begin from."""

from __future__ import annotations

from collections.abc import Sequence

from spillscope_app.format import exact
from spillscope_app.spans import Line, Paint, Span, foreign, line
from spillscope_app.tuning.edits import Value
from spillscope_app.tuning.presets import Preset
from spillscope_app.tuning.saving import Target
from spillscope_app.views.facts import Facts


def target_words(target: Target) -> Line:
    """A file as a row."""
    return line(Span(target.what, "strong"), "  ", foreign(str(target.path), "dim"))


def target_lines(target: Target, changes: Sequence[tuple[str, Value | None]], beaten: Sequence[tuple[str, str]]) -> Paint:
    """What is written, and what of it will do nothing. `beaten`: keys that something else decides, and by what."""
    exists = target.path.exists()

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(width)
        facts.say(line(Span("changes " if exists else "makes ", "dim"), foreign(str(target.path), "strong")), 2)
        facts.gap()
        for key, value in changes:
            facts.say(line(foreign(key), Span(" is taken away" if value is None else f" = {_spelled(value)}", "strong")), 2)
        for key, source in beaten:
            facts.say(line(Span("! ", "over"), foreign(key), Span(" is decided elsewhere: "), foreign(source)), 2)
        facts.gap()
        facts.say(
            line(
                "The rest of the file, its comments too, stays as it is. From then on these limits are in force: a running "
                "engine that reads this file takes them up with its next result, what it has decided stays decided, and the "
                "what-if ends."
            )
        )
        facts.gap()
        facts.say(line(Span("An agent that does not read this file goes on as before, which then shows as drift.", "dim")))
        return facts.lines

    return paint


def _spelled(value: Value) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else exact(value)


def preset_lines(preset: Preset) -> Paint:
    """What a policy sets, and what that rests on."""

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(width)
        if preset.every is not None:
            facts.value("every tool", exact(preset.every), line(Span("chars", "dim")))
        if preset.opts_out:
            facts.say(line(Span("left alone  ", "dim"), ", ".join(sorted(preset.opts_out))), 2)
        for key, value in preset.values.items():
            facts.say(line(Span(f"{key.replace('_', ' ')}  ", "dim"), _spelled(value)), 2)
        facts.gap()
        facts.say(line(Span("rests on  ", "dim"), preset.rests_on), 2)
        facts.gap()
        facts.say(line(Span("It takes the place of all edits; z takes it back.", "dim")))
        return facts.lines

    return paint
