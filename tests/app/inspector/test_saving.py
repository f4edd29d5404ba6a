"""Edits taken home: saved to a file of limits, whole or not at all, and exported (spec L11, cli: limits file)."""

from __future__ import annotations

import math
import os
import stat
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inspector.driving import screen_text
from app.inspector.tuned import Tuned, notices, settle
from spillscope.errors import LimitsError
from spillscope.limits_sources import LimitsBook, LimitsPlan, load_limits
from spillscope_app.tuning.edits import Edits, Value
from spillscope_app.tuning.saving import beaten, save, targets

MINE = """\
# My limits.
message_budget = 150_000  # for large windows

[overrides]
# This one prints a lot.
Grep = 9000
Bash = 20000   # was too little

[declared]
Read = "inf"
"""
needs_no_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings" / "limits.toml"
    path.parent.mkdir()
    path.write_text(MINE)
    return path


class TestSaving:
    def test_only_what_is_edited_changes(self, file: Path) -> None:
        save(file, {"overrides.Bash": 12_000, "overrides.Grep": None, "window": 300_000})
        assert file.read_text() == MINE.replace("Bash = 20000  ", "Bash = 12000  ").replace("Grep = 9000\n", "").replace(
            "# for large windows\n", "# for large windows\nwindow = 300000\n"
        )

    def test_a_file_that_is_not_there_is_made_for_its_owner_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "new" / "spillscope" / "limits.toml"
        save(path, {"overrides.mcp__docs__get.all": 12_000, "declared.Bash": math.inf, "aggregate": False})
        assert tomllib.loads(path.read_text()) == {
            "overrides": {"mcp__docs__get.all": 12_000},
            "declared": {"Bash": "inf"},
            "aggregate": False,
        }
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_the_permissions_of_a_file_stay(self, file: Path) -> None:
        file.chmod(0o640)
        save(file, {"window": 1_000_000})
        assert stat.S_IMODE(file.stat().st_mode) == 0o640

    def test_a_link_stays_a_link(self, file: Path, tmp_path: Path) -> None:
        link = tmp_path / "link.toml"
        link.symlink_to(file)
        save(link, {"window": 1_000_000})
        assert link.is_symlink()
        assert "window" in file.read_text()

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("[overrides\n", "broken limits file"),
            ("no_such_key = 1\n", "unknown limit"),
            ("window = 'wide'\n", "wrong value for window"),
            ('{"window": 200000}', "is JSON"),
            ("overrides = 7\n", "give a table of tools"),
        ],
    )
    def test_a_file_that_cannot_be_used_is_refused_and_stays(self, file: Path, text: str, why: str) -> None:
        file.write_text(text)
        with pytest.raises(LimitsError, match=why):
            save(file, {"overrides.Bash": 12_000})
        assert file.read_text() == text
        assert list(file.parent.iterdir()) == [file]

    @needs_no_root
    def test_a_folder_that_cannot_be_written_to(self, file: Path) -> None:
        file.parent.chmod(0o500)
        try:
            with pytest.raises(LimitsError, match="Permission denied; the file is as it was"):
                save(file, {"window": 1})
        finally:
            file.parent.chmod(0o700)
        assert file.read_text() == MINE

    def test_a_file_where_a_folder_should_be(self, file: Path) -> None:
        with pytest.raises(LimitsError, match="File exists; the file is as it was"):
            save(file / "limits.toml", {"window": 1})

    def test_a_link_to_itself(self, tmp_path: Path) -> None:
        path = tmp_path / "limits.toml"
        path.symlink_to(path)
        with pytest.raises(LimitsError, match="not saved"):
            save(path, {"window": 1})

    def test_a_full_disk_loses_nothing(self, file: Path) -> None:
        file.write_text(MINE + "#" * 8_000 + "\n")
        before = file.read_text()
        script = """
import resource, signal, sys
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from spillscope.errors import LimitsError
from spillscope_app.tuning.saving import save
import tomlkit
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
try:
    save(Path(sys.argv[1]), {"window": 300_000})
except LimitsError as error:
    print(error)
"""
        done = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True)
        assert "File too large; the file is as it was" in done.stdout
        assert file.read_text() == before
        assert list(file.parent.iterdir()) == [file]

    @given(
        st.dictionaries(
            st.text(min_size=1, max_size=8).map(lambda name: f"overrides.{name}")
            | st.sampled_from(["window", "message_budget"]),
            st.integers(1, 10**9),
            max_size=4,
        )
    )
    def test_what_is_saved_is_read_back(self, tmp_path_factory: pytest.TempPathFactory, edits: Mapping[str, Value]) -> None:
        path = tmp_path_factory.mktemp("saved") / "limits.toml"
        save(path, edits)
        assert Edits(edits).over(LimitsBook()).newest.overrides == load_limits(None, path, None).newest.overrides


class TestWhereTo:
    def test_the_strongest_file_first(self, tmp_path: Path) -> None:
        named = tmp_path / "named.toml"
        plan = LimitsPlan(None, tmp_path / "limits.toml", tmp_path / "p", (named,))
        assert [target.path for target in targets(plan)] == [
            named,
            tmp_path / "p" / ".spillscope.toml",
            tmp_path / "limits.toml",
        ]

    def test_what_decides_instead_is_told(self, file: Path, tmp_path: Path) -> None:
        plan = LimitsPlan(None, tmp_path / "user.toml", tmp_path, (file,))
        (tmp_path / "user.toml").write_text("[overrides]\nGlob = 5\n")
        named, project, user = targets(plan)
        edits: dict[str, Value | None] = {"overrides.Bash": 1_000, "overrides.Glob": None, "overrides.Read": 3}
        book = plan.load()
        assert list(beaten(plan, user, edits, book)) == [("overrides.Bash", str(file))]
        assert list(beaten(plan, named, edits, book)) == [("overrides.Glob", str(tmp_path / "user.toml"))]
        assert [key for key, _ in beaten(plan, project, edits, book)] == ["overrides.Glob", "overrides.Bash"]


async def test_saving_ends_the_what_if_and_puts_the_limits_in_force(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("enter", *"2k", "enter", "s") as pilot:
        await pilot.press("down")
        shown = screen_text(tuned.app)
        assert "overrides.Bash = 2,000" in shown
        assert "what it has decided stays decided" in " ".join(shown.split())
        await pilot.press("enter")
        await settle(pilot)
        assert tomllib.loads(tuned.user_file.read_text()) == {"overrides": {"Bash": 2_000}}
        assert notices(tuned.app)[-1].startswith(f"saved to {tuned.user_file}")
        assert not tuned.app._desk.is_on
        tuned.feed.read_now()
        await settle(pilot)
        row = tuned.rows["Bash"]
        assert (row.value, row.source, row.edited) == (2_000, str(tuned.user_file), False)
        live = tuned.app.picture.live
        assert live is not None
        assert live.totals.drift == 0


async def test_a_what_if_after_the_limits_changed_says_what_it_is_held_against(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("enter", *"2k", "enter") as pilot:
        assert "had it been so from the start" in screen_text(tuned.app)
        await pilot.press("s", "down", "enter")
        await settle(pilot)
        tuned.feed.read_now()
        await settle(pilot)
        await pilot.press("minus")
        await settle(pilot)
        assert "from the start, before = newest limits" in screen_text(tuned.app)
        await pilot.press("t")
        await settle(pilot)
        assert "from now on, before = newest limits" in screen_text(tuned.app)


async def test_what_cannot_be_saved_is_told_and_stays_edited(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("minus") as pilot:
        tuned.project_file.write_text("[overrides\n")
        await pilot.press("s", "enter")
        await settle(pilot)
        assert "broken limits file" in notices(tuned.app)[-1]
        assert tuned.project_file.read_text() == "[overrides\n"
        assert tuned.value("Bash") == 29_000
        assert tuned.app._desk.is_on


async def test_a_save_that_loses_says_so_before(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path, overrides={"Bash": 20_000})
    async with tuned.shown("minus", "s"):
        assert "! overrides.Bash is decided elsewhere: command line" in screen_text(tuned.app)


async def test_without_edits_there_is_nothing_to_save(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("s"):
        assert notices(tuned.app)[-1] == "nothing is edited: there is nothing to save"


async def test_export_shows_each_form_with_its_effect(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("enter", *"2k", "enter", "x") as pilot:
        shown = screen_text(tuned.app)
        assert '"BASH_MAX_OUTPUT_LENGTH": "2000"' in shown
        assert "results spilled: " in shown
        assert "many builds cut the middle out" in " ".join(shown.split())
        await pilot.press("left")
        assert "[overrides]" in screen_text(tuned.app)
        await pilot.press("y")
        assert tomllib.loads(tuned.app.clipboard)["overrides"] == {"Bash": 2_000}


async def test_export_to_a_file_asks_before_it_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    tuned = Tuned(tmp_path)
    async with tuned.shown("enter", *"2k", "enter", "x", "left", "w") as pilot:
        await pilot.press("~", "slash", *"out", "enter")
        assert tomllib.loads((tmp_path / "out").read_text())["overrides"] == {"Bash": 2_000}
        (tmp_path / "out").write_text("mine")
        await pilot.press("w", "enter")
        assert "is there already" in screen_text(tuned.app)
        assert (tmp_path / "out").read_text() == "mine"
        await pilot.press("enter")
        assert (tmp_path / "out").read_text() != "mine"
        await pilot.press("w", *("backspace",) * 10, *"nowhere", "slash", "a", "enter")
        assert "not written: nowhere/a: No such file or directory" in screen_text(tuned.app)
