"""Where the `spillscope` command starts: what an agent calls again and again must not wait for a command line to load."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """`hook` and `statusline`, as they are installed, go their short way; every other call is the command line's."""
    words = sys.argv[1:]
    if words == ["hook"]:
        from spillscope_app import hooking

        os._exit(hooking.run())
    if words in (["statusline"], ["statusline", "--ascii"]):
        from spillscope_app import statusline

        os._exit(statusline.run(ascii_only=len(words) > 1))
    from spillscope_app.cli import main as command_line

    command_line()
