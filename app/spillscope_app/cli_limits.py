"""The LIMITS options that many commands share, and `spillscope limits`."""

from __future__ import annotations

import functools
import importlib
import json
import math
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import click

from spillscope.clean import cell_width, clean
from spillscope.errors import LimitsError
from spillscope.limits import DECLARED_MAX_RESULT_SIZE_CHARS, Limits, usable_number
from spillscope.limits_export import FORMATS, Format
from spillscope.limits_sources import Layer, LimitsBook, LimitsPlan
from spillscope.transcript.layout import default_config_dir
from spillscope_app.limits_places import user_limits_file

R = TypeVar("R")

_OCCURRENCES = "spillscope.limits"
"""Where a command's context keeps its limits options in the order in which they were given."""
_AMOUNT = re.compile(r"(?P<number>[+-]?\d[\d_]*(?:\.\d+)?)(?P<scale>[kKmM]?)")
_SCALE = {"": 1, "k": 1_000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class LimitsRequest:
    """What the limits options of one call ask for: files and single values, in order. `alone`: no other file counts."""

    entries: tuple[Path | Layer, ...] = ()
    alone: bool = False

    def plan(self, config_dir: Path | None) -> LimitsPlan:
        """Where limits come from for a session whose agent keeps its settings in `config_dir`."""
        if self.alone:
            return LimitsPlan(extra=self.entries)
        try:
            project_dir = Path.cwd()
        except OSError:  # The current directory was removed.
            project_dir = None
        return LimitsPlan(config_dir, user_limits_file(), project_dir, self.entries)

    def book(self, config_dir: Path | None) -> LimitsBook:
        """All layers, read now. Raises LimitsError for a broken file or an unusable value."""
        return self.plan(config_dir).load()


def limits_options(command: Callable[..., R]) -> Callable[..., R]:
    """Adds the LIMITS options to a command, which gets them as one `LimitsRequest` named `limits`."""

    @functools.wraps(command)
    def with_request(*args: Any, **kwargs: Any) -> R:
        return command(*args, limits=_request(click.get_current_context()), **kwargs)

    return functools.reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), with_request)


class _OrderedOption(click.Option):
    """An option that also notes each occurrence in its context.

    Click collects the values of each option apart; the order between different options, in which later ones win, would
    be lost.
    """

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        super().add_to_parser(parser, ctx)
        for name in (*self.opts, *self.secondary_opts):
            option = parser._long_opt[name]
            option.process = functools.partial(_note, option.process, name, ctx)


def _note(process: Callable[[Any, Any], None], name: str, ctx: click.Context, value: Any, state: Any) -> None:
    ctx.meta.setdefault(_OCCURRENCES, []).append((name, value))
    process(value, state)


def _option(name: str, metavar: str | None, text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    kind: dict[str, Any] = {"is_flag": True} if metavar is None else {"metavar": metavar, "multiple": True}
    return click.option(name, cls=_OrderedOption, expose_value=False, help=text, **kind)


_OPTIONS = (
    _option("--limits", "FILE", "A limits file, TOML or JSON."),
    _option("--set", "KEY=VALUE", "One key of a limits file, such as overrides.Bash=12k or declared.X=inf."),
    _option("--override", "TOOL=CHARS", "What a result of this tool must exceed to be spilled."),
    _option("--message-budget", "N", "Characters that the results of one message may have together."),
    _option("--default-threshold", "N", "What a result of any other tool must exceed to be spilled."),
    _option("--aggregate/--no-aggregate", None, "Whether the budget of a message is enforced."),
    _option("--window", "N", "The context window in tokens."),
)


def _request(ctx: click.Context) -> LimitsRequest:
    return LimitsRequest(tuple(_entry(name, value) for name, value in ctx.meta.get(_OCCURRENCES, ())))


def _entry(name: str, value: Any) -> Path | Layer:
    """One occurrence of an option. Raises LimitsError when its words can't be read."""
    source = f"command line ({name})"
    if name.endswith("aggregate"):
        return Layer({"aggregate": name == "--aggregate"}, source)
    if name == "--limits":
        return Path(value)
    if name == "--set":
        return Layer(parse_setting(value), source)
    if name == "--override":
        tool, equals, chars = value.rpartition("=")
        if not equals or not tool:
            raise LimitsError(f"no tool and number: {name} {value}: write it as TOOL=CHARS, such as Bash=12k")
        return Layer({"overrides": {tool: _amount(chars, f"{name} {value}")}}, source)
    return Layer({name.removeprefix("--").replace("-", "_"): _amount(value, f"{name} {value}")}, source)


def parse_setting(text: str, option: str = "--set") -> Mapping[str, object]:
    """`key=value` or `table.key=value` as keys of a limits file. Raises LimitsError, which names `option`, when it can't."""
    key, equals, word = text.partition("=")
    if not equals or not key.strip():
        raise LimitsError(f"no key and value: {option} {text}: write it as KEY=VALUE, such as overrides.Bash=12k")
    value = _value(word.strip(), f"{option} {text}")
    table, dot, name = key.strip().partition(".")
    return {table: {name.strip('"'): value}} if dot else {table: value}


def _value(word: str, where: str) -> object:
    number = number_in(word)
    if number is not None:
        return number
    try:
        return tomllib.loads(f"value = {word}")["value"]
    except (ValueError, RecursionError) as error:
        raise LimitsError(f"no value: {where}: give a number such as 12000 or 12k, true, false or inf") from error


def _amount(word: str, where: str) -> float:
    number = number_in(word.strip())
    if number is None:
        raise LimitsError(
            f"no number: {where}: give one such as 12000, 12k or 1.5M (to opt a tool out: --set declared.TOOL=inf)"
        )
    return number


def number_in(word: str) -> float | None:
    """A number with an optional k or M; whole ones come back as int."""
    match = _AMOUNT.fullmatch(word)
    if match is None or len(word) > 40:
        return None
    exact = Decimal(match["number"].replace("_", "")) * _SCALE[match["scale"].lower()]
    return int(exact) if exact == exact.to_integral_value() else float(exact)


def agent_config_dir() -> Path:
    """S1: where the agent of this user keeps its settings and sessions."""
    return default_config_dir(os.environ)


@click.command("limits")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--export", "form", type=click.Choice(FORMATS), help="As settings for those who are to obey them.")
@click.option(
    "--for", "measured_on", metavar="SESSION", type=click.Path(path_type=Path), help="With --export: what they would do to it."
)
@limits_options
def limits_command(as_json: bool, form: Format | None, measured_on: Path | None, limits: LimitsRequest) -> None:
    """The limits in effect, each with its value and where it came from."""
    if form is not None:
        if as_json:
            raise click.UsageError("--json and --export: give one of them")
        export = importlib.import_module("spillscope_app.export")  # late: it reads sessions
        click.echo(export.exported(form, measured_on, limits), nl=False)
        return
    if measured_on is not None:
        raise click.UsageError("--for goes with --export: it says what the exported limits would do")
    described = describe_limits(limits.book(agent_config_dir()).newest)
    click.echo(json.dumps(described, indent=2) if as_json else "\n".join(_table(described)))


def describe_limits(limits: Limits) -> dict[str, Any]:
    """Every key of a limits file as `{"value", "source"}`; the two tables as maps of those."""
    budget = usable_number(limits.message_budget)
    return {
        "default_threshold": _entry_of(limits.default_threshold, limits.source("default_threshold")),
        "message_budget": _entry_of(
            limits.get_per_message_budget_limit(), limits.source("message_budget") if budget is not None else "built-in"
        ),
        "aggregate": _entry_of(
            limits.aggregate is not False,
            limits.source("aggregate") if limits.aggregate is not None else "built-in, unless a session shows otherwise",
        ),
        "preview_chars": _entry_of(limits.preview_chars, limits.source("preview_chars")),
        "window": _entry_of(limits.window, limits.source("window") if limits.window is not None else "from the model"),
        "auto_compact_pct": _entry_of(limits.auto_compact_pct, limits.source("auto_compact_pct")),
        "auto_compact_window": _entry_of(limits.auto_compact_window, limits.source("auto_compact_window")),
        "auto_compact": _entry_of(limits.auto_compact, limits.source("auto_compact")),
        "declared": {
            tool: _entry_of(chars, limits.source(f"declared.{tool}"))
            for tool, chars in {**DECLARED_MAX_RESULT_SIZE_CHARS, **limits.declared}.items()
        },
        "overrides": {tool: _override(limits, tool) for tool in limits.overrides},
    }


def _override(limits: Limits, tool: str) -> dict[str, Any]:
    entry = _entry_of(limits.overrides[tool], limits.source(f"overrides.{tool}"))
    return entry if limits.get_override(tool) is not None else {**entry, "ignored": True}


def _entry_of(value: object, source: str) -> dict[str, Any]:
    return {"value": _plain(value), "source": source}


def _plain(value: object) -> object:
    """A value that JSON has; junk from a foreign file as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return "inf"
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def _table(described: Mapping[str, Any]) -> list[str]:
    rows = [("limit", "value", "where it came from"), *_rows(described)]
    widths = [max(cell_width(row[column]) for row in rows) for column in (0, 1)]
    return [
        f"{name}{' ' * (widths[0] - cell_width(name))}  {' ' * (widths[1] - cell_width(value))}{value}  {source}"
        for name, value, source in rows
    ]


def _rows(described: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for key, entry in described.items():
        # A tool may be called "value": only the two tables hold maps of maps.
        named = (
            [(f"{key}.{tool}", each) for tool, each in entry.items()] if key in ("declared", "overrides") else [(key, entry)]
        )
        for name, each in named:
            note = " (ignored: no number above 0)" if each.get("ignored") else ""
            yield clean(name), clean(_words(each["value"])), clean(each["source"]) + note


def _words(value: object) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)
