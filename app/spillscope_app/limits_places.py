"""Where limits lie that stand without being asked for: the agent's, the user's, the project's (spec L11)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import platformdirs

from spillscope.limits import Limits
from spillscope.limits_sources import PROJECT_FILE, LimitsPlan
from spillscope.transcript.layout import default_config_dir, place_of

LIMITS_FILE = "limits.toml"


def user_limits_file() -> Path:
    """The limits of the person who runs this."""
    return Path(platformdirs.user_config_dir("spillscope", appauthor=False)) / LIMITS_FILE


def standing_limits(transcript: Path, folders: Iterable[object]) -> Limits:
    """L11: the agent's settings < the user's file < the project's, for a session of the agent's.

    `folders`: foreign; where it works, and where its project begins: the first that has a project's file counts. Raises
    LimitsError for a broken file.
    """
    config_dir = place_of(transcript).config_dir or default_config_dir(os.environ)
    named = [Path(folder) for folder in folders if isinstance(folder, str) and folder]
    project = next((folder for folder in named if os.path.isfile(folder / PROJECT_FILE)), None)  # noqa: PTH113 - never fails
    return LimitsPlan(config_dir, user_limits_file(), project).load().newest
