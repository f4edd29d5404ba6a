"""A pilot waits until the viewer's workers are done."""

from __future__ import annotations

import pytest

from quiet import rests

__all__ = ["rests"]


@pytest.fixture(autouse=True)
def _pilots_wait(rests: None) -> None:
    """For what a key sets off."""
