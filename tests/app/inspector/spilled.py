"""Hand-made spills for the inspector's tests, in the world of `readings`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.inspector.readings import NOW
from spillscope.session.spills import Badge, BadgeName, Inventory, Link, Origin, Spill
from spillscope.transcript.rows import Notice, ResultRow
from spillscope.transcript.spill_files import SpillFile

FOLDER = "/home/user/.claude/projects/-tide-tables/3f2a9c1e-77aa-4c1d-9d5e-0c6b8a2f4e11/tool-results"
_HOUR = 3_600.0


def spill(
    name: str,
    *badges: BadgeName,
    size: int | None = 184_300,
    tool: str | None = "Bash",
    label: str = "cat target/trace.log",
    origin: Origin = "result",
    group: int | None = 6,
    hours: float | None = 1.0,
    inside: bool = True,
    tool_use_id: str | None = None,
    agent_id: str | None = None,
    reread: int | None = 0,
    chain: tuple[Link, ...] = (),
    folder: str = FOLDER,
    texts: Sequence[str] = (),
) -> Spill:
    """One spill; `size` None: its file is not there. Its badges say their names."""
    path = f"{folder}/{name}"
    row = ResultRow(
        tool_use_id=tool_use_id or name,
        tool=tool,
        label=label,
        record=0,
        block=0,
        content="wrapper",
        chars=size or 0,
        chars_source="file",
        model_chars=2_150,
        tokens=537,
        preview_chars=2_150,
        candidate=False,
        writable=True,
        notice=Notice(path, "180KB"),
    )
    return Spill(
        tool_use_id=tool_use_id or name,
        tool=tool,
        file=SpillFile(path, inside, size is not None and inside, size if inside else None),
        origin=origin,
        reread=reread,
        mismatch=None,
        agent_id=agent_id,
        label=label,
        group=group,
        chars=size,
        tokens_preview=537 if origin != "unknown" else 0,
        tokens_reread=1_200 * (reread or 0),
        modified=NOW - hours * _HOUR if hours is not None else None,
        badges=tuple(
            Badge(badge, texts[at] if at < len(texts) else f"What is found: {badge}.") for at, badge in enumerate(badges)
        ),
        chain=chain,
        row=row if origin != "unknown" else None,
    )


def several() -> tuple[Spill, ...]:
    """One of most kinds; the first three belong to results of `readings.live`."""
    trace = "toolu_Bash_cat target/trace.log_184300"
    chain = (Link("a", "a.txt", 61_000), Link("b", "b.txt", 71_500))
    return (
        spill("old.txt", origin="unknown", group=None, tool=None, label="", hours=72.0, reread=None, size=21_000),
        spill("trace.txt", "never re-read", tool_use_id=trace, group=6, hours=2.0),
        spill(
            "glob.txt",
            "re-read in part",
            tool_use_id="toolu_Glob_**/*.rs_49612",
            tool="Glob",
            label="**/*.rs",
            size=49_612,
            origin="budget",
            group=12,
            reread=2,
        ),
        spill("gone.txt", "missing", "never re-read", size=None, hours=None, label="cargo test --workspace"),
        spill("shrunk.json", "size", "preview", "never re-read", tool="mcp__atlas__charts", label="north coast", origin="mcp"),
        spill("b.txt", "cascade", "re-read whole", tool="Read", label="tool-results/a.txt", chain=chain, reread=1, size=71_500),
        spill(
            "hook-1.txt",
            "kept in transcript",
            "hidden error",
            origin="hook",
            tool=None,
            label="pre-commit",
            size=33_000,
            group=None,
        ),
        spill("far.txt", "outside", folder="/srv/elsewhere", inside=False, label="cat /srv/log"),
        spill("agent.txt", "never re-read", agent_id="a3f29c01bb", label="rg -n load_rates", tool="Grep", hours=0.1),
        spill("cleared.txt", origin="microcompact", tool="Read", label="src/harbour_3.rs", size=15_300, group=3),
    )


def inventory_of(spills: Sequence[Spill]) -> Inventory:
    """The sums that an audit states of its spills."""
    there = [one for one in spills if one.file.exists]
    ages = [one.modified for one in there if one.modified is not None]
    return Inventory(
        spills=tuple(spills),
        files=len(there),
        bytes=sum(one.file.bytes or 0 for one in there),
        oldest=min(ages, default=None),
        counts=Counter(badge.name for one in spills for badge in one.badges),
    )
