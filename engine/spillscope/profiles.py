"""L12: the limits that each agent version ran with, from a table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from spillscope.limits import DEFAULT_MAX_RESULT_SIZE_CHARS, Limits
from spillscope.shipped import shipped_table

Version = tuple[int, ...]

_LEADING_NUMBERS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})*")


@dataclass(frozen=True, slots=True)
class Profile:
    """One row of the table: versions from `since` up to but not including `before`; None is open.

    `cap` is the default threshold in units. `rests_on` says what the row was derived from.
    """

    name: str
    since: Version | None
    before: Version | None
    cap: int
    persists: bool
    declared: Mapping[str, float]
    rests_on: str

    def holds(self, version: Version) -> bool:
        """Whether a version falls into this profile's range."""
        return (self.since is None or version >= self.since) and (self.before is None or version < self.before)

    def limits(self) -> Limits:
        """The built-in limits (L1 to L7) as this profile changes them, with their sources."""
        source = f"profile {self.name}"
        changed = {f"declared.{tool}": source for tool in self.declared}
        if self.cap != DEFAULT_MAX_RESULT_SIZE_CHARS:
            changed["default_threshold"] = source
        return Limits(
            default_threshold=self.cap,
            declared=self.declared,
            persists=self.persists,
            profile=self.name,
            sources=changed,
        )


def parse_version(text: str) -> Version | None:
    """The dotted numbers that a version starts with, as in "2.1.76-beta"; None when it starts with none."""
    match = _LEADING_NUMBERS.match(text)
    return tuple(int(part) for part in match[0].split(".")) if match else None


@lru_cache(maxsize=256)
def profile_for(version: str | None) -> Profile:
    """L12: the profile of an agent version; the newest one for a version that is absent or can't be read."""
    numbers = parse_version(version) if version is not None else None
    table = profiles()
    if numbers is None:
        return table[-1]
    return next((profile for profile in table if profile.holds(numbers)), table[-1])


@cache
def profiles() -> tuple[Profile, ...]:
    """The whole table, oldest first."""
    return tuple(_profile(row) for row in shipped_table("spillscope", "profiles.toml")["profile"])


def _profile(row: Mapping[str, Any]) -> Profile:
    since, before = row.get("since"), row.get("before")
    return Profile(
        name=row["name"],
        since=parse_version(since) if since else None,
        before=parse_version(before) if before else None,
        cap=row.get("cap", DEFAULT_MAX_RESULT_SIZE_CHARS),
        persists=row.get("persists", True),
        declared=row.get("declared", {}),
        rests_on=row["rests_on"].strip(),
    )
