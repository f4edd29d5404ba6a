"""What the agent's own settings say about limits (spec L11).

Foreign files: one that is absent, unreadable or of another shape says nothing, and so does each value that makes no
sense. Nothing here fails.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from spillscope.limits import usable_number

MAX_FILE_BYTES = 64 << 20
_FLAGS = "cachedGrowthBookFeatures"
_OVERRIDES_FLAG = "tengu_satin_quoll"
_BUDGET_FLAG = "tengu_hawthorn_window"
_WINDOW_VARIABLE = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
_PERCENT_VARIABLE = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"
_OFF_VARIABLE = "DISABLE_AUTO_COMPACT"
_ENABLED_SETTING = "autoCompactEnabled"
_TRUE_WORDS = frozenset({"1", "true", "yes", "on"})

SettingsLayer = tuple[dict[str, object], str]
"""Keys of a limits file, and where they came from."""


def settings_files(config_dir: Path) -> tuple[Path, ...]:
    """The files that are looked at, weakest first: the agent's state, its settings, its local settings."""
    inside = config_dir / ".claude.json"
    state = inside if inside.is_file() else config_dir.parent / ".claude.json"
    return state, config_dir / "settings.json", config_dir / "settings.local.json"


def settings_layers(config_dir: Path) -> list[SettingsLayer]:
    """L11: the limits that the agent's settings in `config_dir` set, one layer a value, weakest first."""
    layers: list[SettingsLayer] = []
    switched_off: str | None = None
    for path in settings_files(config_dir):
        content = _read(path)
        layers += _flags(content, path) + _settings(content, path)
        environment = _table(content.get("env"))
        layers += _environment(environment, path)
        if _OFF_VARIABLE in environment:
            switched_off = f"{path}: {_OFF_VARIABLE}" if _is_true(environment[_OFF_VARIABLE]) else None
    if switched_off is not None:
        # Last, because no setting switches on what the environment has switched off.
        layers.append(({"auto_compact": False}, switched_off))
    return layers


def _flags(content: Mapping[str, object], path: Path) -> list[SettingsLayer]:
    flags = _table(content.get(_FLAGS))
    layers: list[SettingsLayer] = []
    overrides = _table(flags.get(_OVERRIDES_FLAG))
    if overrides:
        layers.append(({"overrides": dict(overrides)}, f"{path}: {_OVERRIDES_FLAG}"))
    if usable_number(flags.get(_BUDGET_FLAG)) is not None:
        layers.append(({"message_budget": flags[_BUDGET_FLAG]}, f"{path}: {_BUDGET_FLAG}"))
    return layers


def _settings(content: Mapping[str, object], path: Path) -> list[SettingsLayer]:
    enabled = content.get(_ENABLED_SETTING)
    return [({"auto_compact": enabled}, f"{path}: {_ENABLED_SETTING}")] if isinstance(enabled, bool) else []


def _environment(environment: Mapping[str, object], path: Path) -> list[SettingsLayer]:
    layers: list[SettingsLayer] = []
    window = _number(environment.get(_WINDOW_VARIABLE))
    if window is not None and 1 <= window < 2**53:
        layers.append(({"auto_compact_window": int(window)}, f"{path}: {_WINDOW_VARIABLE}"))
    percent = _number(environment.get(_PERCENT_VARIABLE))
    if percent is not None and 1 <= percent <= 100:
        layers.append(({"auto_compact_pct": percent}, f"{path}: {_PERCENT_VARIABLE}"))
    return layers


def _read(path: Path) -> Mapping[str, object]:
    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return {}
        return _table(json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return {}


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    """A number above 0 that stands in an environment block, as itself or as text."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return usable_number(value)


def _is_true(value: object) -> bool:
    return value is True or str(value).strip().lower() in _TRUE_WORDS
