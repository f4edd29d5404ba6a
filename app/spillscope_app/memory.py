"""What the inspector remembers of the user's choices, in a small file of its own."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from platformdirs import user_config_dir

from spillscope_app.whole_file import write_whole

_NAME = "inspector.toml"


class Memory:
    """The remembered theme. A file that can't be read, or makes no sense, is as good as none."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / _NAME

    @classmethod
    def of_user(cls) -> Memory:
        """That of the person who runs the inspector."""
        return cls(Path(user_config_dir("spillscope")))

    def theme(self) -> str | None:
        """The theme that was chosen last; None where none is remembered."""
        try:
            found = tomllib.loads(self.path.read_text("utf-8")).get("theme")
        except (OSError, ValueError):
            return None
        return found if isinstance(found, str) else None

    def keep_theme(self, theme: str) -> bool:
        """Remember a theme; False where that can't be written down. The file is replaced as a whole, or not at all."""
        text = f"# Written by the inspector.\ntheme = {json.dumps(theme)}\n"
        try:
            write_whole(self.path, text.encode(), 0o600)
        except OSError:
            return False
        return True
