"""What files look like from outside, and what changed between two looks."""

from __future__ import annotations

import os
from pathlib import Path

from spillscope.transcript.scan import Mark, diff, scan


def test_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    there = tmp_path / "a"
    there.write_bytes(b"abc")
    marks = scan([str(there), str(tmp_path / "b"), "nul\0path"])
    assert list(marks) == [str(there)]
    assert marks[str(there)].size == 3


def test_added_changed_and_removed() -> None:
    mark = Mark(1, 2, 3, 4)
    change = diff({"a": mark, "b": mark, "c": mark}, {"b": mark, "c": mark._replace(size=9), "d": mark})
    assert change == (("d",), ("c",), ("a",))
    assert change
    assert not diff({"a": mark}, {"a": mark})


def test_a_file_replaced_by_one_of_the_same_size_and_time_differs(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for path in (old, new):
        path.write_bytes(b"abc")
        os.utime(path, ns=(1, 1))
    before = scan([str(old)])
    new.replace(old)
    assert diff(before, scan([str(old)])).changed == (str(old),)


def test_a_time_that_goes_backwards_is_a_change(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    before = scan([str(path)])
    os.utime(path, ns=(1, 1))
    assert diff(before, scan([str(path)])).changed == (str(path),)
