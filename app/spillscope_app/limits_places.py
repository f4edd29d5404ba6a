"""Where the files lie in which a user and a project keep their limits (spec L11)."""

from __future__ import annotations

from pathlib import Path

import platformdirs

LIMITS_FILE = "limits.toml"


def user_limits_file() -> Path:
    """The limits of the person who runs this."""
    return Path(platformdirs.user_config_dir("spillscope", appauthor=False)) / LIMITS_FILE
