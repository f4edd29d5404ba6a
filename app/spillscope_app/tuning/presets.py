"""Policies of other agents to begin from, from a table."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from spillscope.limits import DECLARED_MAX_RESULT_SIZE_CHARS
from spillscope_app.tuning.edits import Value


@dataclass(frozen=True, slots=True)
class Preset:
    """One policy. `every`: the threshold of all tools but `opts_out`; None: what tools declare holds.

    `rests_on` says where the figures are written down. `values`: the other keys of a limits file that it sets.
    """

    name: str
    rests_on: str
    every: float | None
    opts_out: frozenset[str]
    values: Mapping[str, Value]

    def edits(self, tools: Iterable[str], overrides: Iterable[str], declared: Iterable[str]) -> Mapping[str, Value | None]:
        """The edits that make it so. `tools`: those of the session; `overrides`, `declared`: those that limits set now.

        An override stays below what a tool declares, so a policy declares.
        """
        edits: dict[str, Value | None] = {f"overrides.{tool}": None for tool in overrides}
        edits.update({f"declared.{tool}": None for tool in declared})
        edits.update(self.values)
        if self.every is None:
            return edits
        for tool in {*tools, *DECLARED_MAX_RESULT_SIZE_CHARS}:
            edits[f"declared.{tool}"] = math.inf if tool in self.opts_out else self.every
        if math.isfinite(self.every):
            edits["default_threshold"] = self.every
        return edits


@cache
def presets() -> tuple[Preset, ...]:
    """The whole table, in its order."""
    text = resources.files("spillscope_app.tuning").joinpath("presets.toml").read_text("utf-8")
    return tuple(_preset(row) for row in tomllib.loads(text)["preset"])


def _preset(row: Mapping[str, object]) -> Preset:
    values = {key: row[key] for key in ("default_threshold", "message_budget", "aggregate") if key in row}
    every, opts_out = row.get("every"), row.get("opts_out", ())
    assert isinstance(opts_out, Iterable)
    return Preset(
        name=str(row["name"]),
        rests_on=str(row["rests_on"]),
        every=float(every) if isinstance(every, (int, float)) else None,
        opts_out=frozenset(map(str, opts_out)),
        values={key: value for key, value in values.items() if isinstance(value, (bool, int, float))},
    )
