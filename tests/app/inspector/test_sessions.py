"""The picker: what it lists, how it is searched, and what it opens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input

from app.inspector.driving import Bench, screen_text
from app.inspector.projects import many, save, session, several
from app.inspector.readings import NOW, live
from spillscope.session.listing import Listed
from spillscope_app.catalog import Catalog, Entry, Lister, NewCatalog
from spillscope_app.inspector import Options
from spillscope_app.opening import Start
from spillscope_app.spans import width_of
from spillscope_app.views import sessions as view
from spillscope_app.widgets.line_table import LineTable

SIZE = (120, 30)


async def listed(pilot: Pilot[None]) -> LineTable:
    """The list, once everything has been read."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    return pilot.app.screen.query_one("#sessions", LineTable)


def picker(root: Path, **more: object) -> Bench:
    return Bench(live(), start=Start(None, root, **more))  # type: ignore[arg-type]


# --- listing --------------------------------------------------------------------------------------------------------------


def catalogs(root: Path) -> tuple[Lister, list[Catalog]]:
    found: list[Catalog] = []

    def post(message: Message) -> None:
        assert isinstance(message, NewCatalog)
        found.append(message.catalog)

    return Lister(root, post, lambda: NOW), found


def test_all_files_are_there_before_the_first_is_read(tmp_path: Path) -> None:
    many(tmp_path, 300)
    lister, found = catalogs(tmp_path)
    lister.list_now()
    assert (len(found[0].entries), found[0].looked_at) == (300, 0)
    assert found[0].entries[0].path.endswith("0000012b.jsonl")
    assert found[-1].looked_at == 300
    assert [entry.path for entry in found[-1].entries] == [entry.path for entry in found[0].entries]
    assert len(found) < 50


def test_nothing_new_is_not_told_again_and_a_write_is(tmp_path: Path) -> None:
    several(tmp_path)
    lister, found = catalogs(tmp_path)
    lister.list_now()
    told = len(found)
    lister.list_now()
    assert len(found) == told
    path = save(tmp_path / "-home-user-moon" / "c0ffee00-1234.jsonl", session("/home/user/moon", 90_000), 1)
    lister.list_now()
    assert found[-1].entries[0].path == str(path)
    assert found[-1].entries[0].listed is not None
    assert found[-1].entries[0].listed.context_tokens == 90_000
    path.unlink()
    lister.list_now()
    assert str(path) not in [entry.path for entry in found[-1].entries]


def test_sub_agents_belong_to_their_session(tmp_path: Path) -> None:
    lister, found = catalogs(several(tmp_path))
    lister.list_now()
    assert [agent.id for agent in found[-1].entries[0].agents] == ["agent-1a2b3c4d", "agent-5e6f7a8b", "agent-acompact-99"]


def test_a_root_that_is_not_there_is_trouble_until_it_comes(tmp_path: Path) -> None:
    lister, found = catalogs(tmp_path / "projects")
    lister.list_now()
    several(tmp_path / "projects")
    lister.list_now()
    assert (found[0].trouble, found[0].entries) == ("No such file or directory", ())
    assert (found[-1].trouble, len(found[-1].entries)) == (None, 4)


# --- lines ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [0, 1, 3, 12, 24, 38, 46, 77, 110, 111, 200])
def test_rows_fill_their_width_and_no_more(tmp_path: Path, width: int) -> None:
    lister, found = catalogs(several(tmp_path))
    lister.list_now()
    entries = (*found[-1].entries, Entry("/x/-y/z.jsonl", NOW - 1))
    items = view.SessionItems(entries, {entry.path: at for at, entry in enumerate(entries)}, NOW, entries[1].path)
    wide = width_of(items.line(3, -1, width))
    for at in range(len(items)):
        for child in range(-1, items.children(at)):
            assert width_of(items.line(at, child, width)) == wide
    assert wide <= max(width, 14)


@pytest.mark.parametrize(("highest", "ink"), [(166_999, "gauge"), (167_000, "warn"), (200_000, "warn"), (200_001, "over")])
def test_a_colour_goes_by_the_bands_upper_end(highest: int, ink: str) -> None:
    found = Listed("z", "-y", None, "/x/-y/z.jsonl", "claude-opus-4-6", NOW, 10, 150_000, highest, live=False)
    spans = view.SessionItems([Entry(found.path, NOW, found)], {found.path: 0}, NOW, "").line(0, -1, 200)
    assert [span.ink for span in spans if "75 %" in span.text] == ["dim" if ink == "gauge" else ink]
    assert [span.ink for span in spans if "━" in span.text] == [ink]


@pytest.mark.parametrize(
    ("share", "drawn"), [(0, "────"), (0.001, "╸───"), (0.5, "━━──"), (0.63, "━━╸─"), (1, "━━━━"), (7, "━━━━")]
)
def test_bars(share: float, drawn: str) -> None:
    assert "".join(span.text for span in view.thin_bar(share, 4, "gauge")) == drawn
    assert view.thin_bar(share, 0, "gauge") == ()


@pytest.mark.parametrize(
    ("query", "count"), [("", 4), ("TIDE", 2), ("tide sonnet", 1), ("月", 1), ("c0ffee", 1), ("glm", 1), ("[red]", 0)]
)
def test_search(tmp_path: Path, query: str, count: int) -> None:
    lister, found = catalogs(several(tmp_path))
    lister.list_now()
    assert len(list(filter(view.finder(query), found[-1].entries))) == count


# --- the screen -----------------------------------------------------------------------------------------------------------


async def test_a_folder_of_projects_opens_the_picker_and_enter_opens_a_session(tmp_path: Path) -> None:
    bench = picker(several(tmp_path))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await listed(pilot)
        assert table.has_focus
        assert "● live 2s  /home/user/tide-tables" in screen_text(bench.app)
        await pilot.press("down", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert bench.app.current_mode == "groups"
        assert bench.app.picture.path.endswith("aa10b2c3-0000.jsonl")
        assert "mustReapply" in screen_text(bench.app)
        await pilot.press("6")
        await listed(pilot)
        assert "▸ /home/user/tide-tables" in screen_text(bench.app)


async def test_a_sub_agent_opens_like_a_session(tmp_path: Path) -> None:
    bench = picker(several(tmp_path))
    async with bench.app.run_test(size=SIZE) as pilot:
        await listed(pilot)
        await pilot.press("right", "down")
        assert "└ acompact-99  helper fork" in screen_text(bench.app)
        await pilot.press("enter")
        await pilot.pause()
        assert bench.app.picture.path.endswith("agent-1a2b3c4d.jsonl")


async def test_search_by_typing(tmp_path: Path) -> None:
    bench = picker(several(tmp_path))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await listed(pilot)
        await pilot.press("slash", *"sonnet")
        assert "1 of 4" in screen_text(bench.app)
        await pilot.press("down")
        assert table.has_focus
        await pilot.press("escape")
        assert "4 sessions" in screen_text(bench.app)
        await pilot.press("slash", *"zzz")
        assert "No session is called so." in screen_text(bench.app)
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert bench.app.current_mode == "groups"
        assert "No session is open." in screen_text(bench.app)


async def test_the_mouse_opens_expands_and_searches(tmp_path: Path) -> None:
    bench = picker(several(tmp_path))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await listed(pilot)
        await pilot.click("#sessions", offset=(0, 0))
        assert table.expanded
        await pilot.click("#search")
        assert bench.app.screen.query_one("#search", Input).has_focus
        await pilot.click("#sessions", offset=(30, 4), times=2)
        await pilot.pause()
        assert bench.app.picture.path.endswith("aa10b2c3-0000.jsonl")


async def test_a_selection_stays_with_its_session_when_another_one_is_written_to(tmp_path: Path) -> None:
    bench = picker(several(tmp_path))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await listed(pilot)
        await pilot.press("down", "down")
        selected = table.selected
        os.utime(tmp_path / "-home-user-moon" / "deadbeef-5678.jsonl", (NOW, NOW))
        await pilot.press("1", "6")
        await listed(pilot)
        assert table.selected == selected
        assert "/home/user/月と潮/moon" in table.render_line(3).text


async def test_the_first_session_of_this_directory_opens_by_itself(tmp_path: Path) -> None:
    project = tmp_path / "-srv-app"
    bench = picker(several(tmp_path), awaited=project, awaited_name="/srv/app")
    async with bench.app.run_test(size=SIZE) as pilot:
        await listed(pilot)
        assert "Waiting for a session of /srv/app" in screen_text(bench.app)
        path = save(project / "new.jsonl", session("/srv/app", 1_000), 0)
        bench.app._list()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert bench.app.picture.path == str(path)
        assert bench.app.current_mode == "groups"
        await pilot.press("6")
        await listed(pilot)
        assert "Waiting for" not in screen_text(bench.app)


async def test_an_empty_and_a_missing_root_say_what_they_wait_for(tmp_path: Path) -> None:
    for root, words in ((tmp_path, "There are no sessions yet."), (tmp_path / "no", "There are no sessions to list yet.")):
        bench = picker(root)
        async with bench.app.run_test(size=SIZE) as pilot:
            await listed(pilot)
            assert words in screen_text(bench.app)


# --- newer sessions -------------------------------------------------------------------------------------------------------


def two(root: Path) -> tuple[Path, Path]:
    older = save(root / "-srv-app" / "older.jsonl", session("/srv/app", 1_000, hour=3), 30)
    newer = save(root / "-srv-app" / "newer.jsonl", session("/srv/app", 1_000, hour=4), 1)
    return older, newer


@pytest.mark.parametrize("follow", [False, True])
async def test_a_newer_live_session_is_told_of_or_followed(tmp_path: Path, follow: bool) -> None:
    older, newer = two(tmp_path)
    bench = Bench(live(), path=str(older), options=Options(follow_project=follow))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        feed = bench.feeds[0]
        if not follow:
            assert bench.app.picture.path == str(older)
            assert "newer session: ] goes to it" in screen_text(bench.app)
            await pilot.press("right_square_bracket")
        await pilot.pause()
        assert bench.app.picture.path == str(newer)
        assert "newer session" not in screen_text(bench.app)
        assert feed._stop.is_set()
        assert len(bench.feeds) == 2


async def test_a_chosen_older_session_stays_until_a_still_newer_one_begins(tmp_path: Path) -> None:
    older, newer = two(tmp_path)
    bench = Bench(live(), path=str(newer), start=Start(str(newer), tmp_path), options=Options(follow_project=True))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("6")
        await listed(pilot)
        await pilot.press("down", "enter")
        await pilot.pause()
        assert bench.app.picture.path == str(older)
        assert "newer session: ] goes to it" in screen_text(bench.app)
        newest = save(tmp_path / "-srv-app" / "newest.jsonl", session("/srv/app", 1_000, hour=5), 0)
        bench.app._look_for_newer()
        await pilot.pause()
        assert bench.app.picture.path == str(newest)


async def test_switching_starts_afresh_and_keeps_the_settings(tmp_path: Path) -> None:
    older, _ = two(tmp_path)
    bench = Bench(live(40), path=str(older))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        table = bench.app.screen.query_one("#list", LineTable)
        bench.app.theme = "nord"
        await pilot.press("g", "enter", "down")
        assert table.expanded
        old_feed = bench.feeds[0]
        await pilot.press("right_square_bracket")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert (table.expanded, table.following, bench.app.theme) == (frozenset(), True, "nord")
        shown = bench.app.picture
        bench.shelf.put(live(2))
        old_feed.read_now()
        await pilot.pause()
        assert bench.app.picture == shown


async def test_without_a_newer_session_the_key_says_so(tmp_path: Path) -> None:
    bench = Bench(live(), path=str(two(tmp_path)[1]))
    async with bench.app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("right_square_bracket")
        await pilot.pause()
        assert "no newer live session" in screen_text(bench.app)


async def test_a_session_that_cannot_be_opened_is_told_and_the_old_one_stays(tmp_path: Path) -> None:
    older, _ = two(tmp_path)
    bench = Bench(live(), path=str(older))
    async with bench.app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        bench.refuses = "limits.toml: line 3: [red]no[/red] number"
        await pilot.press("right_square_bracket")
        await pilot.pause()
        assert bench.app.picture.path == str(older)
        assert "[red]no[/red] number" in screen_text(bench.app).replace("\n", " ")
