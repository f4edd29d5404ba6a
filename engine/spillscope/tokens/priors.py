"""T9: what a fitted estimate starts from, per model family, before a session has said anything of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from spillscope.shipped import shipped_table
from spillscope.tokens.weight import Weight

LEAST, MOST = 0.6, 1.6
"""How far the kinds of characters may move an estimate from the plain factor: texts unlike any that were measured exist."""


@dataclass(frozen=True, slots=True)
class Prior:
    """One row of the table. `weights`: tokens for each unit of a weight's fields, in their order.

    `message`: tokens around the messages of one step; `parallel`: more of them for each further message; `call`: for each call
    of a response. `rough`, `bpe`: the median of truth over those estimates. `errors`: deciles 10 to 90 of the fitted estimate's
    relative errors on projects that the fit had not seen.
    """

    family: str
    models: tuple[str, ...]
    weights: tuple[float, ...]
    message: float
    parallel: float
    call: float
    rough: float
    bpe: float
    errors: tuple[float, ...]

    def text_tokens(self, weight: Weight) -> float:
        """Tokens of text alone, without anything around it: never fewer than the second estimate has.

        That is all there is to go by for scripts that no session was measured on, and too little does more harm.
        """
        plain = self.bpe * weight.bpe
        fitted = sum(share * amount for share, amount in zip(self.weights, weight, strict=True))
        return min(max(fitted, LEAST * plain, weight.bpe), MOST * plain)

    def around(self, messages: int) -> float:
        """Tokens around so many messages of one step."""
        return self.message + self.parallel * (messages - 1) if messages else 0.0


@cache
def priors() -> tuple[Prior, ...]:
    """The whole table; the last row is for models that no row names."""
    return tuple(_row(**row) for row in shipped_table("spillscope.tokens", "priors.toml")["family"])


def _row(models: list[str], weights: dict[str, float], errors: list[float], **rest: float | str) -> Prior:
    ordered = tuple(weights[name] for name in Weight._fields)
    return Prior(models=tuple(models), weights=ordered, errors=tuple(errors), **rest)  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def find_prior(model: str | None) -> Prior:
    """The row whose longest name stands in a model's name, with or without a cloud's prefix and a date; else the last one."""
    name = (model or "").lower()
    found = [(len(known), prior) for prior in priors() for known in prior.models if _names(known, name)]
    return max(found, key=lambda pair: pair[0])[1] if found else priors()[-1]


def _names(known: str, name: str) -> bool:
    at = name.find(known)
    return at >= 0 and not name[at + len(known) : at + len(known) + 1].isalnum()
