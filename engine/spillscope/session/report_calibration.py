"""What `report` says of a calibration: `calibration`, and the fields of `context` that come from it (spec cli, T8, T9)."""

from __future__ import annotations

from typing import Any

from spillscope.session.calibrated import Calibrated
from spillscope.tokens.calibration import Score, Scores

Json = dict[str, Any]
DIGITS = 4


def calibration_section(calibrated: Calibrated) -> Json:
    """The scores of each estimate, over all models and by model; of how many requests, and why the others say nothing."""
    return {
        **_scores(calibrated.scores),
        "requests": calibrated.requests,
        "leftOut": dict(calibrated.left_out),
        "models": {model or "?": _scores(scores) for model, scores in calibrated.models},
    }


def calibrated_fields(calibrated: Calibrated) -> Json:
    """The second and the fitted estimate of what the exact part does not hold, the band of the total, and the residual."""
    residual = calibrated.residual
    return {
        "estimateBpe": calibrated.estimate_bpe,
        "band": list(calibrated.band),
        "estimateFitted": calibrated.estimate,
        "residual": None if residual is None else {"tokens": residual.tokens, "band": list(residual.band)},
    }


def _scores(scores: Scores) -> Json:
    return {"rough": _score(scores.rough), "bpe": _score(scores.bpe), "fitted": _score(scores.fitted)}


def _score(score: Score) -> Json:
    return {
        "n": score.n,
        "median": _rounded(score.median),
        "medianAbs": _rounded(score.median_abs),
        "p90Abs": _rounded(score.p90_abs),
        "factor": round(score.factor, DIGITS),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
