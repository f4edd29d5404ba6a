"""Local times are those of UTC."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _local_time_is_utc(_no_outside_settings: None) -> Iterator[None]:
    time.tzset()
    yield
    time.tzset()
