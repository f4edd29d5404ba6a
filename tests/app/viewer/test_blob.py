"""What is opened and what is not, each made for real; and what is noticed of a file while it is open."""

from __future__ import annotations

import gc
import os
import socket
from pathlib import Path

import pytest

from spillscope_app.viewer.blob import RefusedError, open_file

NOBODY = 65_534


def refused(path: Path | str, **how: bool) -> str:
    with pytest.raises(RefusedError) as raised:
        open_file(str(path), **how)
    return raised.value.reason


def test_a_regular_file_is_read_in_place(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_bytes(b"0123456789")
    opened = open_file(str(path))
    assert (opened.size, opened.read(3, 4), opened.read(8, 9), opened.read(-5, 2), opened.read(99, 1)) == (
        10, b"3456", b"89", b"01", b"",
    )  # fmt: skip


def test_what_is_no_regular_file_is_not_opened_and_not_waited_for(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        previous = Path.cwd()
        os.chdir(folder)  # a socket's name may only be short
        listener.bind("socket")
        os.chdir(previous)
        kinds: list[Path | str] = [
            folder / "pipe",
            folder / "socket",
            folder,
            "/dev/null",
            folder / "none",
            folder / "pipe" / "x",
            "a\0b",
            "x",
        ]
        reasons = [refused(kind, anywhere=True) for kind in kinds]
    assert reasons == ["not a file"] * 4 + ["missing"] * 4


def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_text("a")
    path.chmod(0)
    user = os.geteuid()
    if user == 0:  # who may read everything
        os.seteuid(NOBODY)
    try:
        assert refused(path) == "unreadable"
    finally:
        os.seteuid(user)


def test_a_link_is_not_followed_wherever_it_stands(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    secret = folder / "secret" / "a"
    secret.parent.mkdir()
    secret.write_text("a secret")
    (folder / "link").symlink_to(secret)
    (folder / "linked").symlink_to(secret.parent)
    assert refused(folder / "link") == refused(folder / "linked" / "a") == "outside"
    assert open_file(str(folder / "link"), anywhere=True).read(0, 99) == b"a secret"


def test_a_link_that_takes_the_files_place_in_the_last_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path.resolve()
    (folder / "secret").write_text("a secret")
    path = folder / "a"
    path.symlink_to(folder / "secret")
    monkeypatch.setattr("os.path.realpath", lambda name: name)  # as it was a moment ago
    assert refused(path) == "outside"


def test_what_happens_to_an_open_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_bytes(b"one\n")
    opened = open_file(str(path))
    assert opened.look() == ""
    with path.open("ab") as file:
        file.write(b"two\n")
    assert (opened.look(), opened.size) == ("grown", 8)
    os.truncate(path, 2)
    assert (opened.look(), opened.size) == ("truncated", 2)
    path.write_bytes(b"on")
    os.utime(path, ns=(1, 1))
    assert opened.look() == "changed"
    path.unlink()
    assert (opened.look(), opened.look(), opened.read(0, 9)) == ("deleted", "", b"on")
    path.write_bytes(b"another")
    assert opened.look() == "replaced"


def handles() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_a_file_is_closed_when_nobody_holds_it(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_bytes(b"one\n")
    gc.collect()  # what tests before this one have left
    before = handles()
    opened = open_file(str(path))
    assert handles() == before + 1
    del opened
    assert handles() == before
