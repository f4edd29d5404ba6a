"""Where limits lie that stand without being asked for: the agent's, the user's, the project's (spec L11)."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from spillscope.limits import Limits
from spillscope.limits_sources import LimitsPlan
from spillscope.transcript.layout import default_config_dir, place_of

LIMITS_FILE = "limits.toml"


def user_limits_file() -> Path:
    """The limits of the person who runs this."""
    return Path(platformdirs.user_config_dir("spillscope", appauthor=False)) / LIMITS_FILE


def standing_limits(transcript: Path, cwd: object) -> Limits:
    """L11: the agent's settings < the user's file < the project's, for a session whose agent works in `cwd`.

    `cwd`: foreign; what is no path names no project. Raises LimitsError for a broken file.
    """
    config_dir = place_of(transcript).config_dir or default_config_dir(os.environ)
    project = Path(cwd) if isinstance(cwd, str) and cwd and "\0" not in cwd else None
    return LimitsPlan(config_dir, user_limits_file(), project).load().newest
