"""The edits in hand and the newest answer about them; and who asks, one question at a time, the newest next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from textual.message import Message

from spillscope.errors import SpillscopeError
from spillscope.limits import Limits
from spillscope_app.feed import FromFeed, Source
from spillscope_app.tuning.answer import Answer, Question
from spillscope_app.tuning.edits import Edits, Tuning, Value, keys_in
from spillscope_app.tuning.presets import Preset

REST_SECONDS = 0.06
"""How long there is no new question before it is worked out why a value does nothing."""
SHOWN_SECONDS = 0.25
"""How long an answer may wait to be shown before the next question is answered all the same."""


@dataclass
class Tuned(FromFeed):
    """The edits were tried on the newest reading."""

    answer: Answer

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Tuned) and message.origin == self.origin


@dataclass
class Reasoned(FromFeed):
    """Why the value of the question's key does nothing; None where it does something."""

    question: Question
    words: str | None


@dataclass
class Untunable(FromFeed):
    """The edits could not be tried, in words."""

    words: str


class Asker:
    """Asks a source in a worker. A question that comes while another is answered waits; one that waits gives way to a newer.

    It waits too until the last answer is shown: what nobody sees is not worked out.
    """

    def __init__(self, source: Source, post: Callable[[Message], object]) -> None:
        self._source, self._post = source, post
        self._lock = threading.Condition()
        self._waiting: Question | None = None
        self._busy = self._unshown = False

    def ask(self, question: Question) -> bool:
        """Take a question; True where somebody has to `work` on it."""
        with self._lock:
            self._waiting = question
            is_first, self._busy = not self._busy, True
            self._lock.notify_all()
            return is_first

    def note_shown(self) -> None:
        """The last answer is shown."""
        with self._lock:
            self._unshown = False
            self._lock.notify_all()

    def work(self) -> None:
        """Answer until no question waits."""
        while (question := self._next()) is not None:
            try:
                self._answer(question)
            except (SpillscopeError, OSError) as error:
                self._post(Untunable(str(error)))
            except Exception as error:  # told on the screen: what fails must not look like what goes on
                self._post(Untunable(f"the what-if failed with {type(error).__name__}: {error}"))

    def _answer(self, question: Question) -> None:
        answer = self._source.tune(question)
        if answer is not None:
            self._unshown = True
            self._post(Tuned(answer))
            if question.key is not None and self._rests():
                self._post(Reasoned(question, self._source.why_not(question)))

    def _rests(self) -> bool:
        """Whether no question comes for a moment: while a key is held there is no time for reasons."""
        with self._lock:
            return not self._lock.wait_for(lambda: self._waiting is not None, REST_SECONDS)

    def _next(self) -> Question | None:
        with self._lock:
            self._lock.wait_for(lambda: self._waiting is None or not self._unshown, SHOWN_SECONDS)
            question, self._waiting = self._waiting, None
            self._busy = question is not None
            return question


class Desk:
    """What the user works on, whatever screen is shown. `reasons`: why a key's value does nothing, by edits and key."""

    def __init__(self) -> None:
        self.tuning = Tuning()
        self.answer: Answer | None = None
        self._reason: tuple[Edits, str, str | None] | None = None

    @property
    def edits(self) -> Edits:
        return self.tuning.edits

    @property
    def is_on(self) -> bool:
        """Whether limits are edited."""
        return bool(self.edits)

    @property
    def limits(self) -> Limits | None:
        """The limits as they are edited now, which the newest answer may not yet be about; None before there is one."""
        answer = self.answer
        return None if answer is None else self.edits.over(answer.base).for_version(answer.reading.session.version)

    def is_set(self, key: str) -> bool:
        """Whether something sets a key: an edit, or a layer of the limits in force."""
        if key in self.edits.values:
            return self.edits.values[key] is not None
        return self.answer is not None and any(key in keys_in(layer.values) for layer in self.answer.base.layers)

    def move_on(self) -> None:
        """To another session: the edits stay, what was answered does not."""
        self.answer = None
        if self.edits.since is not None:
            self.tuning = Tuning(Edits(self.edits.values, self.edits.mode))

    def change(self, changes: Mapping[str, Value | None], *, goes_on: bool = False) -> bool:
        """Edit some keys; whether anything changed. Raises LimitsError for a value that a key can't have."""
        if self.answer is None:
            return False
        before = self.tuning
        self.tuning = before.to(self.edits.put(changes, self.answer.base), goes_on=goes_on)
        return self.tuning is not before

    def begin_from(self, preset: Preset) -> bool:
        """A policy in the place of all edits; whether anything changed."""
        answer = self.answer
        if answer is None:
            return False
        set_now = {key for layer in answer.base.layers for key in keys_in(layer.values)}
        tools = [tool.tool for tool in answer.tools if tool.tool is not None]
        tables = [
            [key.partition(".")[2] for key in set_now if key.startswith(f"{name}.")] for name in ("overrides", "declared")
        ]
        before, empty = self.tuning, Edits(mode=self.edits.mode, since=self.edits.since)
        self.tuning = before.to(empty.put(preset.edits(tools, *tables), answer.base))
        return self.tuning is not before

    def note_reason(self, question: Question, words: str | None) -> None:
        """Keep why a value does nothing."""
        if question.key is not None:
            self._reason = question.edits, question.key, words

    def reason(self, key: str | None) -> str | None:
        """Why the value of a key does nothing, as far as it is known of the edits as they are."""
        return self._reason[2] if self._reason is not None and self._reason[:2] == (self.edits, key) else None
