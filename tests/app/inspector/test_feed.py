"""The bridge: what it reads, when, and what it says when something fails. No sleeps: time is an event."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.message import Message

from app.inspector.driving import Shelf, no_hints
from app.inspector.readings import live, reading
from spillscope.errors import SessionNotFoundError
from spillscope_app import feed as feed_module
from spillscope_app.feed import Feed, NewReading, Trouble, WatchingBy, watch_hints

DEADLINE = 30.0


class Inbox:
    """Messages as they were posted, and a way to wait for one."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._came = threading.Condition()

    def post(self, message: Message) -> None:
        with self._came:
            self.messages.append(message)
            self._came.notify_all()

    def wait_for(self, test: Callable[[list[Message]], bool]) -> None:
        with self._came:
            assert self._came.wait_for(lambda: test(self.messages), DEADLINE), self.messages


@contextmanager
def running(loop: Callable[[], None], feed: Feed) -> Iterator[None]:
    """A loop of the feed in a thread, ended with the block."""
    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield
    finally:
        feed.stop()
        thread.join(DEADLINE)
    assert not thread.is_alive()


def test_reads_post_only_what_is_new() -> None:
    inbox, shelf = Inbox(), Shelf(live())
    feed = Feed(shelf, (), inbox.post, no_hints)
    feed.read_now()
    feed.read_now()
    assert [type(message) for message in inbox.messages] == [NewReading]
    shelf.put(reading())
    feed.read_now()
    assert len(inbox.messages) == 2


def test_bursts_coalesce() -> None:
    newest, older = NewReading(live()), NewReading(reading())
    assert newest.can_replace(older)
    assert not newest.can_replace(Trouble(None))
    assert Trouble(None).can_replace(Trouble("gone"))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "Permission denied", "/x/y.jsonl"), "Permission denied: /x/y.jsonl"),
        (SessionNotFoundError("no such session"), "no such session"),
        (KeyError("uuid"), "the reader failed with KeyError: 'uuid'"),
    ],
)
def test_trouble_is_told_once_and_taken_back(error: Exception, words: str) -> None:
    inbox, shelf = Inbox(), Shelf(error)
    feed = Feed(shelf, (), inbox.post, no_hints)
    feed.read_now()
    feed.read_now()
    assert inbox.messages == [Trouble(words)]
    shelf.put(live())
    feed.read_now()
    assert inbox.messages[1] == Trouble(None)
    assert isinstance(inbox.messages[2], NewReading)


def test_a_changed_file_is_seen_without_any_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "REREAD_SECONDS", 3_600.0)
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"{}\n")
    inbox, shelf = Inbox(), Shelf(live())
    feed = Feed(shelf, [str(path)], inbox.post, no_hints)
    with running(feed.look, feed):
        inbox.wait_for(lambda messages: len(messages) == 1)
        shelf.put(reading())
        path.write_bytes(b"{}\n{}\n")
        inbox.wait_for(lambda messages: len(messages) == 2)


def test_a_hint_makes_it_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "LOOK_SECONDS", 3_600.0)
    give = threading.Event()

    def hints(paths: Sequence[str], stop: threading.Event) -> Iterator[Any]:
        give.wait(DEADLINE)
        yield "look now"
        stop.wait()

    inbox, shelf = Inbox(), Shelf(live())
    feed = Feed(shelf, (), inbox.post, hints)
    with running(feed.look, feed), running(feed.listen, feed):
        inbox.wait_for(lambda messages: any(isinstance(message, NewReading) for message in messages))
        shelf.put(reading())
        give.set()
        inbox.wait_for(lambda messages: sum(isinstance(message, NewReading) for message in messages) == 2)


def test_a_watcher_that_fails_leaves_polling_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "RETRY_SECONDS", 0.01)
    tries = 0

    def hints(paths: Sequence[str], stop: threading.Event) -> Iterator[Any]:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise OSError("OS file watch limit reached")
        if tries == 2:
            return
        yield from no_hints(paths, stop)

    inbox = Inbox()
    feed = Feed(Shelf(live()), (), inbox.post, hints)
    with running(feed.listen, feed):
        inbox.wait_for(lambda messages: len(messages) >= 5)
    assert [message.how for message in inbox.messages if isinstance(message, WatchingBy)][-1] == "events"
    assert WatchingBy("polling") in inbox.messages


def test_the_real_watcher_hints_at_an_append_and_stops(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"")
    stop, hinted = threading.Event(), threading.Event()

    def listen() -> None:
        for _ in watch_hints([str(path)], stop):
            hinted.set()

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        with path.open("ab") as file:
            for _ in range(600):  # the first may come before the watch is set
                file.write(b"{}\n")
                file.flush()
                if hinted.wait(0.05):
                    break
        assert hinted.is_set()
    finally:
        stop.set()
        thread.join(DEADLINE)
    assert not thread.is_alive()
