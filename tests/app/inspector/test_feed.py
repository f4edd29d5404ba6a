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
from app.inspector.readings import calibrated, live, reading
from spillscope.errors import SessionNotFoundError
from spillscope.session.calibrated import Calibrated
from spillscope.session.reading import Reading
from spillscope_app import feed as feed_module
from spillscope_app.feed import Feed, NewCalibration, NewReading, Trouble, WatchingBy, watch_hints

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


# --- calibration ------------------------------------------------------------------------------------------------------------


class Slow(Shelf):
    """A source whose calibration takes some slices."""

    def __init__(self, *readings: Reading | Exception, slices: int) -> None:
        super().__init__(*readings)
        self.slices = slices

    def calibrate(self, seconds: float) -> tuple[Reading, Calibrated] | None:
        self.slices -= 1
        return super().calibrate(seconds) if self.slices < 0 else None


def kinds(inbox: Inbox) -> list[type[Message]]:
    return [type(message) for message in inbox.messages]


def test_a_first_reading_does_not_wait_for_its_calibration() -> None:
    inbox, shelf = Inbox(), Slow(live(), slices=3)
    shelf.calibrated = calibrated()
    feed = Feed(shelf, (), inbox.post, no_hints)
    feed.read_now()
    assert kinds(inbox) == [NewReading]
    with running(feed.measure, feed):
        inbox.wait_for(lambda messages: len(messages) == 2)
    found = inbox.messages[1]
    assert isinstance(found, NewCalibration)
    assert (found.reading, found.calibrated) == (shelf.refresh(), calibrated())
    assert shelf.slices == -1


def test_what_little_an_append_brings_is_told_together_with_it() -> None:
    inbox, shelf = Inbox(), Shelf(live())
    shelf.calibrated = calibrated()
    feed = Feed(shelf, (), inbox.post, no_hints)
    feed.read_now()
    shelf.put(live(13, version=2))
    feed.read_now()
    assert kinds(inbox) == [NewReading, NewReading, NewCalibration]


def test_what_an_append_brings_is_counted_on_beside_the_reader() -> None:
    inbox, shelf = Inbox(), Slow(live(), slices=4)
    shelf.calibrated = calibrated()
    feed = Feed(shelf, (), inbox.post, no_hints)
    feed.read_now()
    shelf.put(live(13, version=2))
    feed.read_now()
    assert kinds(inbox) == [NewReading, NewReading]
    with running(feed.measure, feed):
        inbox.wait_for(lambda messages: isinstance(messages[-1], NewCalibration))


def test_a_file_that_cant_be_counted_is_left_until_it_changes() -> None:
    class Unreadable(Shelf):
        def calibrate(self, seconds: float) -> tuple[Reading, Calibrated] | None:
            tried.set()
            raise OSError(5, "Input/output error")

    tried = threading.Event()
    inbox = Inbox()
    feed = Feed(Unreadable(live()), (), inbox.post, no_hints)
    feed.read_now()
    with running(feed.measure, feed):
        assert tried.wait(DEADLINE)
    assert kinds(inbox) == [NewReading]
