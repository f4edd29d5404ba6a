"""What is imported when: a graph of imports can't tell a late import from one at the top, so each module is imported."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

HEAVY = ("textual", "rich", "tiktoken", "watchfiles", "anthropic")

PROBE = """
import importlib, sys
for name in sys.argv[1].split():
    importlib.import_module(name)
    loaded = [heavy for heavy in sys.argv[2].split() if heavy in sys.modules]
    if loaded:
        sys.exit(f"{name} imports {', '.join(loaded)}")
"""


def modules(package: str) -> Iterator[str]:
    yield package
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        yield found.name


def imports(names: Iterator[str] | list[str], unwanted: tuple[str, ...]) -> str:
    """What a fresh interpreter says that imports all of `names`; "" when none of them loads what is unwanted."""
    call = [sys.executable, "-c", PROBE, " ".join(names), " ".join(unwanted)]
    return subprocess.run(call, capture_output=True, text=True, check=False, timeout=120).stderr.strip()


def test_no_engine_module_loads_a_screen_or_a_command_line() -> None:
    assert imports(modules("spillscope"), (*HEAVY, "click", "platformdirs", "spillscope_app")) == ""


def test_no_headless_command_loads_a_screen() -> None:
    headless = [
        name for name in modules("spillscope_app") if name.split(".")[1:2] == [] or name.split(".")[1].startswith("cli")
    ]
    assert "spillscope_app.cli" in headless
    assert imports(headless, HEAVY) == ""


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["limits"]])
def test_a_small_command_loads_no_other(words: list[str]) -> None:
    program = (
        "import sys\nfrom spillscope_app.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "finally:\n    print({'spillscope_app.cli_report', 'textual'} & set(sys.modules) or 'none', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True, timeout=120)
    assert done.stderr.strip() == "none"


@pytest.mark.parametrize("words", [["hook"], ["statusline"], ["statusline", "--ascii"]])
def test_what_an_agent_calls_again_and_again_loads_no_command_line(words: list[str]) -> None:
    program = (
        "import os, sys\nsys.argv[1:] = sys.argv[2:]\nunwanted = set(sys.argv.pop().split())\n"
        "def leave(status):\n    sys.exit(str(unwanted & set(sys.modules) or 'none'))\nos._exit = leave\n"
        "from spillscope_app.start import main\nmain()"
    )
    unwanted = " ".join((*HEAVY, "click", "spillscope_app.cli"))
    call = [sys.executable, "-c", program, "spillscope", *words, unwanted]
    done = subprocess.run(call, input=b"{}", capture_output=True, check=False, timeout=120)
    assert done.stderr.decode().splitlines()[-1] == "none"


def test_the_probe_finds_what_it_looks_for() -> None:
    assert imports(["json", "textual"], ("textual",)) == "textual imports textual"
