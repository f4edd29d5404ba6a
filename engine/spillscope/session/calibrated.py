"""What calibration says of a session: the fitted context with its band, the residual, and the scores of each estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spillscope.tokens.calibration import Band, Scores


class Residual(NamedTuple):
    """Tokens that usage proves and the transcript does not hold: system prompt, tools, memory."""

    tokens: int
    band: Band


@dataclass(frozen=True, slots=True)
class Calibrated:
    """T8, T9 of a session as it stood, in tokens.

    `tokens` is `usage` (exact, as in T4) and `estimate`, the fitted one of what came after it; `band` is that of `tokens`.
    `estimate_bpe`: tiktoken's count over what T4 estimates; None where that is too much text to count.
    `residual`: None where no usage tells it. `scores`: over all models, with the factors of the newest; `models`: each model's
    own, the newest first. `requests`: how many were looked at; `left_out`: how many of them prove nothing, by reason.
    """

    usage: int
    estimate: int
    estimate_bpe: int | None
    band: Band
    residual: Residual | None
    scores: Scores
    models: tuple[tuple[str | None, Scores], ...]
    requests: int
    left_out: tuple[tuple[str, int], ...]

    @property
    def tokens(self) -> int:
        return self.usage + self.estimate
