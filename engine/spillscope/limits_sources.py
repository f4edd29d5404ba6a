"""L11: the layers that limits come from, in order, and the book that keeps them for every agent version."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from spillscope.agent_settings import settings_files, settings_layers
from spillscope.errors import LimitsError
from spillscope.limits import Limits
from spillscope.limits_files import limits_from_mapping, read_limits_file
from spillscope.profiles import Profile, profile_for

__all__ = ["Earlier", "Layer", "LimitsBook", "LimitsPlan", "WatchedLimits", "limits_from_mapping", "load_limits"]

PROJECT_FILE = ".spillscope.toml"


@dataclass(frozen=True, slots=True)
class Layer:
    """Some keys of a limits file, and where they came from, in words."""

    values: Mapping[str, object]
    source: str


@dataclass(frozen=True, slots=True)
class LimitsBook:
    """L11, L12: the limits of every agent version: its profile, with the same layers over it.

    Every layer has been judged when the book is made, so that asking it never fails.
    """

    layers: tuple[Layer, ...] = ()
    _by_profile: dict[str, Limits] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._merge(profile_for(None))

    @property
    def newest(self) -> Limits:
        """The limits of the newest profile."""
        return self.for_version(None)

    def for_version(self, version: str | None) -> Limits:
        """The limits that an agent of this version is taken to run with."""
        return self._merge(profile_for(version))

    def with_layer(self, mapping: Mapping[str, object], source: str) -> LimitsBook:
        """This book with one more layer, which wins over all others. Raises LimitsError for unusable values."""
        return LimitsBook((*self.layers, Layer(mapping, source)))

    def _merge(self, profile: Profile) -> Limits:
        known = self._by_profile.get(profile.name)
        if known is not None:
            return known
        limits = profile.limits()
        for layer in self.layers:
            limits = limits_from_mapping(layer.values, layer.source, limits)
        self._by_profile[profile.name] = limits
        return limits


class Earlier(NamedTuple):
    """Limits that held until others took their place, in seconds since the epoch."""

    until: float
    book: LimitsBook


@dataclass(frozen=True, slots=True)
class LimitsPlan:
    """Where limits are to be read from. `extra` is what the command line gave, in its order: files and single values."""

    config_dir: Path | None = None
    user_file: Path | None = None
    project_dir: Path | None = None
    extra: tuple[Path | Layer, ...] = ()

    def load(self) -> LimitsBook:
        """Reads all layers. Raises LimitsError for a file that is broken, or that was named and can't be read."""
        layers = settings_layers(self.config_dir) if self.config_dir is not None else []
        book = LimitsBook(tuple(Layer(values, source) for values, source in layers))
        for path in self._standing_files():
            if path.is_file():
                book = book.with_layer(read_limits_file(path), str(path))
        for item in self.extra:
            if isinstance(item, Layer):
                book = book.with_layer(item.values, item.source)
            else:
                book = book.with_layer(read_limits_file(item), str(item))
        return book

    def files(self) -> tuple[Path, ...]:
        """Every file that `load` looks at, whether it exists or not."""
        agent = settings_files(self.config_dir) if self.config_dir is not None else ()
        return (*agent, *self._standing_files(), *(item for item in self.extra if isinstance(item, Path)))

    def _standing_files(self) -> tuple[Path, ...]:
        project = self.project_dir / PROJECT_FILE if self.project_dir is not None else None
        return tuple(path for path in (self.user_file, project) if path is not None)


def load_limits(
    config_dir: Path | None,
    user_file: Path | None,
    project_dir: Path | None,
    files: Sequence[Path] = (),
    options: Mapping[str, object] | None = None,
) -> LimitsBook:
    """L11: agent settings in `config_dir` < user's file < the project's < `files` < `options` (keys of a limits file).

    Raises LimitsError for a file that is broken, or one of `files` that can't be read.
    """
    last = (Layer(options, "command line"),) if options else ()
    return LimitsPlan(config_dir, user_file, project_dir, (*files, *last)).load()


_Mark = tuple[int, int, int, int] | None


class WatchedLimits:
    """L11: limits whose files may change. A broken file keeps the last good book and says why in `error`."""

    def __init__(self, plan: LimitsPlan) -> None:
        """Loads at once. Raises LimitsError when there is no good value to start from."""
        self._plan = plan
        self._looked = time.time()
        self._marks = self._look()
        self.book = plan.load()
        self.changed_at = self._looked
        self.error: str | None = None

    @property
    def plan(self) -> LimitsPlan:
        """Where they are read from."""
        return self._plan

    def poll(self) -> LimitsBook | None:
        """The new book when a file changed and could be read, else None. Never raises for what stands in a file.

        `changed_at` is then when the file changed, in seconds since the epoch.
        """
        before, self._looked = self._looked, time.time()
        marks = self._look()
        if marks == self._marks:
            return None
        written = [new[2] / 1e9 for new, old in zip(marks, self._marks, strict=True) if new is not None and new != old]
        # Taken before reading: a change during the read is seen by the next poll.
        self._marks = marks
        try:
            book = self._plan.load()
        except LimitsError as error:
            self.error = str(error)
            return None
        self.error = None
        if book == self.book:
            return None
        self.book = book
        # Whatever date a file bears, it was put there since the last look.
        self.changed_at = min(max(before, *written), self._looked) if written else self._looked
        return book

    def _look(self) -> tuple[_Mark, ...]:
        return tuple(_mark(path) for path in self._plan.files())


def _mark(path: Path) -> _Mark:
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
