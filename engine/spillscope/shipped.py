"""The data files that ship beside the code, read at little cost: a hook and a status line start again and again."""

from __future__ import annotations

import pkgutil
import tomllib
from typing import Any


def shipped_bytes(package: str, name: str) -> bytes:
    """A file of a package's."""
    data = pkgutil.get_data(package, name)
    if data is None:
        raise FileNotFoundError(f"{package} ships no {name}")
    return data


def shipped_table(package: str, name: str) -> dict[str, Any]:
    """A TOML file of a package's."""
    return tomllib.loads(shipped_bytes(package, name).decode())
