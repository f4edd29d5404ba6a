"""Files that are not as one would wish, and what happens to a file while it is shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from app.viewer.stand import of_file, standing

MB = 1 << 20


def numbered(path: Path, first: int, last: int) -> Path:
    with path.open("a") as file:
        file.writelines(f"row {number}\n" for number in range(first, last + 1))
    return path


async def test_each_state_says_what_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to(numbered(tmp_path / "secret", 1, 3))
    outside = of_file(tmp_path / "secret", outside=True)
    linked = of_file(tmp_path / "none").__class__((), path=str(tmp_path.resolve() / "link"))
    for request, words in (
        (of_file(tmp_path / "pipe"), "no regular file"),
        (of_file(tmp_path), "no regular file"),
        (of_file(tmp_path / "empty"), "It is empty."),
        (of_file(tmp_path / "none"), "not there any more"),
        (linked, "lies outside"),
        (outside, "lies outside"),
    ):
        async with standing(request) as stand:
            assert words in stand.text
            assert "row 1" not in stand.text
            await stand.press("j", "G", "v", "f", "n", "V", "y", "enter", "escape")
    async with standing(outside) as stand:
        await stand.press("O", "n")
        assert "row 1" not in stand.text
        await stand.press("O", "y")
        assert stand.rows == ["row 1", "row 2", "row 3"]


async def test_it_follows_a_file_that_grows_until_the_user_moves(tmp_path: Path) -> None:
    path = numbered(tmp_path / "a", 1, 100)
    async with standing(of_file(path)) as stand:
        await stand.press("f")
        assert stand.rows[-1] == "row 100"
        numbered(path, 101, 200)
        await stand.look()
        assert stand.rows[-1] == "row 200"
        assert "of 200" in stand.text
        assert "following" in stand.text
        await stand.press("k")
        numbered(path, 201, 300)
        await stand.look()
        assert stand.rows[-1] == "row 199"
        assert "of 300" in stand.text
        assert "following" not in stand.text


async def test_an_empty_file_that_grows(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch()
    async with standing(of_file(path)) as stand:
        numbered(path, 1, 2)
        await stand.look()
        assert stand.rows == ["row 1", "row 2"]


async def test_a_file_that_goes_is_still_shown(tmp_path: Path) -> None:
    path = numbered(tmp_path / "a", 1, 100)
    async with standing(of_file(path)) as stand:
        path.unlink()
        await stand.look()
        assert "deleted: what is shown was still open" in stand.text
        await stand.press("G")
        assert stand.rows[-1] == "row 100"


async def test_a_file_that_is_cut_or_replaced(tmp_path: Path) -> None:
    path = numbered(tmp_path / "a", 1, 100)
    async with standing(of_file(path)) as stand:
        await stand.press("G")
        os.truncate(path, 12)
        await stand.look()
        assert "truncated while it was shown" in stand.text
        assert stand.rows == ["row 1", "row 2"]
        numbered(tmp_path / "b", 7, 9).rename(path)
        await stand.look()
        assert "replaced: this is the file that stands there now" in stand.text
        assert stand.rows == ["row 7", "row 8", "row 9"]
        secret = numbered(tmp_path / "secret", 50, 60)
        path.unlink()
        path.symlink_to(secret)
        await stand.look()
        assert "row 50" not in stand.text


SPARSE = """
import resource, sys
from pathlib import Path
from spillscope_app.viewer.blob import OpenFile
from spillscope_app.viewer.reader import Reader
from spillscope_app.viewer.request import ViewerRequest

read = 0
plain = OpenFile.read
def counted(self, at, count):
    global read
    data = plain(self, at, count)
    read += len(data)
    return data
OpenFile.read = counted
def held():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

before = held()
reader = Reader(ViewerRequest((), path=sys.argv[1]))
reader.resize(80, 24)
reader.open()
assert len(reader.page().rows) == 24
print(read)
reader.turn()
for step in (lambda: reader.move(24), lambda: reader.edge(first=False), lambda: reader.move(-24), lambda: reader.jump(1 << 30)):
    step()
    assert len(reader.page().rows) == 24
print(read)
def after(count):
    steps = iter(range(count))
    return lambda: next(steps, None) is None
reader.numbers.count(after(500))
reader.look_for("zebra")
assert reader.search.find(0, 1, after(8_000)) is None
print(held() - before)
"""


def test_three_gigabytes_cost_what_is_in_view(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "sparse"
    path.touch()
    os.truncate(path, 3 << 30)
    done = subprocess.run([sys.executable, "-c", SPARSE, str(path)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    first, paged, grown = map(int, done.stdout.split())
    assert first < MB
    assert paged < 8 * MB
    assert grown < 50 * MB
