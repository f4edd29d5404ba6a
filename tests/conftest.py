"""What every test stands on: no setting of the machine or of the person who runs it is seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A loaded machine is slow, which is no failure; and what CI has passed it passes again.
settings.register_profile(
    "tests", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("tests")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Journeys in a terminal come first, and one after the other: two at a time would only slow each other down."""
    for item in items:
        if in_terminal(item):
            item.add_marker(pytest.mark.xdist_group("terminal"))
    items.sort(key=in_terminal, reverse=True)


def in_terminal(item: pytest.Item) -> bool:
    return item.path.parent.name == "terminal"


@pytest.fixture(autouse=True)
def _no_outside_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name, value in {
        "HOME": home,
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_DATA_HOME": home / ".local/share",
        "XDG_STATE_HOME": home / ".local/state",
        "CLAUDE_CONFIG_DIR": home / ".claude",
        "TZ": "UTC",
        "TEXTUAL_ANIMATIONS": "none",
    }.items():
        monkeypatch.setenv(name, str(value))
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
