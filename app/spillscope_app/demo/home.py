"""The demo's folder: the layout that an agent keeps its sessions in (spec S1), and the limits file that it obeys."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from spillscope.transcript.layout import slug_of, transcripts_in
from spillscope_app.demo.story import CWD, QUERY, QUERY_CHARS

KEPT_SESSIONS = 3
_LIMITS = f"""\
# The demo's agent reads this file before each request: what you change here holds for the results that come next.
[declared]
{QUERY} = {QUERY_CHARS}
"""


@dataclass(frozen=True, slots=True)
class Home:
    """A folder of the demo's own. Whoever made it removes it."""

    root: Path

    @property
    def limits_file(self) -> Path:
        return self.root / "limits.toml"

    @property
    def project(self) -> Path:
        return self.root / "projects" / slug_of(CWD)

    def furnish(self) -> None:
        """Makes what the demo needs in its folder."""
        self.project.mkdir(parents=True)
        self.limits_file.write_text(_LIMITS, encoding="utf-8")

    def transcript(self, session_id: str) -> Path:
        return self.project / f"{session_id}.jsonl"

    def forget_old_sessions(self) -> None:
        """However long the demo runs, it keeps only its newest sessions."""
        for path in transcripts_in(self.project)[KEPT_SESSIONS:]:
            path.unlink()
            shutil.rmtree(path.with_suffix(""), ignore_errors=True)


def home_of(transcript: Path) -> Home:
    """The folder that one of the demo's transcripts stands in."""
    return Home(transcript.parents[2])
