"""R5: what requests cost in base input tokens, and what a token costs that enters or stays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, count
from operator import is_not, mul, sub
from typing import NamedTuple

from spillscope.session.cache import INPUT_PRICE, LONG_WRITE_PRICE, READ_PRICE, SHORT_WRITE_PRICE
from spillscope.session.reading import Request
from spillscope.tokens.usage import Usage


class Prices(NamedTuple):
    """Base input tokens that one token costs. A user's own table may differ."""

    input: float = INPUT_PRICE
    read: float = READ_PRICE
    write_5m: float = SHORT_WRITE_PRICE
    write_1h: float = LONG_WRITE_PRICE


class Paid:
    """By request what it cost, what a token cost that it carried first, and one that an earlier one had carried.

    `contexts`: tokens in the context after each: its usage, or T4 before it where it states none.
    """

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._requests: list[Request] = []
        self.contexts: list[int] = []
        self.costs: list[float] = []
        self.entering: list[float] = []
        self.staying: list[float] = []

    def follow(self, requests: Sequence[Request]) -> None:
        """Take in the requests of a session; what is still the same object is not priced again."""
        now = list(requests)
        same = next(compress(count(), map(is_not, self._requests, now)), min(len(now), len(self._requests)))
        self._requests = now
        del self.contexts[same:], self.costs[same:], self.entering[same:], self.staying[same:]
        for request in now[same:]:
            self.contexts.append(request.usage.total or request.estimate_before)
            self._price(request.usage)

    def cost(self, enters: Sequence[int], in_view: Sequence[int], factor: float) -> float:
        """What all requests cost with so many tokens more in view; the last figure, of the next request, costs nothing yet."""
        stays = map(sub, in_view, enters)
        moved: float = sum(map(mul, enters, self.entering)) + sum(map(mul, stays, self.staying))
        return sum(self.costs) + factor * moved

    def _price(self, usage: Usage) -> None:
        prices = self._prices
        split = usage.cache_5m + usage.cache_1h
        write = prices.write_5m + (prices.write_1h - prices.write_5m) * (usage.cache_1h / split if split else 0.0)
        self.costs.append(usage.input * prices.input + usage.cache_read * prices.read + usage.cache_creation * write)
        entering = write if usage.cache_creation else prices.input
        self.entering.append(entering if usage.prompt else 0.0)
        self.staying.append(prices.read if usage.cache_read else self.entering[-1])
