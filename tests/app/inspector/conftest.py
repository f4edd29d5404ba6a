"""Local times are those of UTC, and a pilot waits until the app is at rest."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from quiet import rests

__all__ = ["rests"]


@pytest.fixture(autouse=True)
def _local_time_is_utc(_no_outside_settings: None) -> Iterator[None]:
    time.tzset()
    yield
    time.tzset()


@pytest.fixture(autouse=True)
def _pilots_wait(rests: None) -> None:
    """For what a key sets off."""
