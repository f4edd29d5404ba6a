"""What the demo's tools print: text of an invented project that settles harbour dues; the same for the same dice."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

PACKAGES = ("ledger", "tariffs", "berths", "invoices", "exchange", "reports", "manifest")
MODULES = ("settle", "rates", "batches", "rounding", "loader", "schema", "queue", "audit", "cache", "journal", "export", "dues")
NOUNS = ("rate", "charge", "parcel", "berth", "bill", "vessel", "tariff", "balance", "payer", "period", "rebate", "voyage")
VERBS = ("load", "settle", "round", "convert", "post", "match", "merge", "apply", "fetch", "check", "close", "split")
PORTS = ("Rotterdam", "Göteborg", "Valparaíso", "Durban", "Busan", "Gdańsk", "Tromsø", "Santos", "Le Havre", "Cork")
CURRENCIES = ("EUR", "SEK", "CLP", "ZAR", "KRW", "PLN", "NOK", "BRL", "GBP")
_STATEMENTS = (
    "{a} = self.{b}s.get({c}.id)",
    'if {a} is None or {a}.{b} != {c}.{b}:\n    raise LedgerError(f"no {a} for {{{c}.id}} in {{period.name}}")',
    "for {a} in sorted({b}s, key=posted_at):\n    {a}s[{b}.currency] += {b}.amount * {c}.factor",
    "{a}, {b} = divmod({c}.minor_units, {n})",
    'log.debug("{v} %s: %d {a}s in %.2f s", {b}.id, len({a}s), clock() - started)',
    'with self.db.transaction() as tx:\n    tx.execute({u}_{b}, {{"{a}": {a}.id, "limit": {n}}})',
    "{c}s = [{v}_{a}({b}, {c}) for {b} in {a}s if {b}.is_open]",
    "# One query for each {a}: the planner can't use ix_{b}_{c} across {a}s.",
    "assert {a}.total == sum({b}.amount for {b} in {a}.{b}s), {a}.id",
    "self._{a}_cache.setdefault(({b}.id, {c}.currency), {v}_{a}({b}))",
    'yield {u}({a}={a}, {b}={b}.id, {c}=Decimal("0.{n}"))',
)


def until(lines: Iterable[str], chars: int) -> str:
    """As many lines as fit into so many characters."""
    taken: list[str] = []
    total = 0
    for line in lines:
        total += len(line) + 1
        if total > chars:
            break
        taken.append(line)
    return "\n".join(taken)


def path(dice: Random) -> str:
    return f"src/{dice.choice(PACKAGES)}/{dice.choice(MODULES)}.py"


def statement(dice: Random) -> str:
    """One statement of the project's code, of a line or two."""
    a, b, c = dice.sample(NOUNS, 3)
    verb = dice.choice(VERBS)
    number = dice.choice((10, 25, 100, 365, 500, 1_000, 4_096))
    return dice.choice(_STATEMENTS).format(a=a, b=b, c=c, v=verb, u=a.title(), n=number)


def source(dice: Random) -> Iterator[str]:
    """A module, without end."""
    package = dice.choice(PACKAGES)
    yield from (f'"""How the {package} are {dice.choice(VERBS)}ed."""', "", "from __future__ import annotations", "")
    yield from (f"from harbour.{dice.choice(PACKAGES)} import {noun.title()}" for noun in sorted(dice.sample(NOUNS, 4)))
    while True:
        verb, (noun, other) = dice.choice(VERBS), dice.sample(NOUNS, 2)
        yield from ("", "", f"def {verb}_{noun}(self, {noun}: {noun.title()}, {other}s: Sequence[{other.title()}]) -> Decimal:")
        yield f'    """{verb.title()} one {noun} against its {other}s; amounts are minor units."""'
        for _ in range(dice.randint(4, 12)):
            yield from (f"    {line}" for line in statement(dice).split("\n"))


def read_file(dice: Random, chars: int) -> str:
    """A file with the numbers of its lines, as Read gives it."""
    return until((f"{number}\t{line}" for number, line in enumerate(source(dice), 1)), chars)


def grep(dice: Random, chars: int) -> str:
    def lines() -> Iterator[str]:
        while True:
            where, number = path(dice), dice.randint(3, 60)
            for _ in range(dice.randint(1, 7)):
                number += dice.randint(1, 80)
                yield f"{where}:{number}:    {statement(dice).split(chr(10))[0]}"

    return until(lines(), chars)


def git_log(dice: Random, chars: int) -> str:
    def lines() -> Iterator[str]:
        while True:
            a, b = dice.sample(NOUNS, 2)
            yield f"{dice.getrandbits(36):09x} {dice.choice(MODULES)}: {dice.choice(VERBS)} {a}s once for all {b}s"
            for _ in range(dice.randint(1, 4)):
                plus, minus = dice.randint(1, 60), dice.randint(0, 30)
                yield f" {path(dice):<28} | {plus + minus:>3} {'+' * (plus // 4 + 1)}{'-' * (minus // 4)}"

    return until(lines(), chars)


def service_log(dice: Random, chars: int) -> str:
    """The nightly run, in which every batch is slower than the last."""

    def lines() -> Iterator[str]:
        millis, batch = 2 * 3_600_000, 0
        while True:
            batch += 1
            seconds = 1.2 + batch * 0.031 + dice.random() * 0.4
            millis += int(seconds * 1000)
            clock = f"{millis // 3_600_000 % 24:02d}:{millis // 60_000 % 60:02d}:{millis // 1000 % 60:02d}"
            stamp, port = f"2026-03-03 {clock},{millis % 1000:03d}", dice.choice(PORTS)
            yield f"{stamp} INFO  ledger.settle   batch {batch:>4}: 5,000 charges of {port} in {seconds:.2f} s"
            if dice.random() < 0.35:
                a, b = dice.sample(NOUNS, 2)
                yield f"{stamp} DEBUG exchange.rates  miss: {a} {dice.randint(1_000, 99_999)} has no {b}, asked again"
            if dice.random() < 0.05:
                yield f"{stamp} WARN  ledger.queue    {dice.randint(200, 9_000):,} waiting, oldest {dice.randint(3, 90)} s"

    return until(lines(), chars)


def checks(dice: Random, chars: int, failed: int) -> str:
    """A verbose test run; what failed, and why, stands at its end."""

    def passed() -> Iterator[str]:
        yield f"collected {dice.randint(1_900, 2_100)} items"
        yield ""
        while True:
            yield f"{_test(dice)} PASSED [{dice.randint(1, 99):>3}%]"

    ending = "\n".join(_failures(dice, failed))
    head = until(passed(), chars - len(ending) - 100)
    counts = f"{failed} failed, {head.count(' PASSED ')} passed" if failed else f"{head.count(' PASSED ')} passed"
    return f"{head}\n{ending}\n========== {counts} in {dice.randint(20, 90)}.{dice.randint(10, 99)}s =========="


def _test(dice: Random) -> str:
    name = f"test_{dice.choice(VERBS)}_{dice.choice(NOUNS)}_of_{dice.choice(NOUNS)}[{dice.choice(CURRENCIES)}]"
    return f"tests/{dice.choice(PACKAGES)}/test_{dice.choice(MODULES)}.py::{name}"


def _failures(dice: Random, failed: int) -> Iterator[str]:
    told = []
    for _ in range(failed):
        test, noun = _test(dice), dice.choice(NOUNS)
        error = f"AssertionError: {noun} {dice.randint(100, 9_999)}: off by 0.01 {dice.choice(CURRENCIES)}"
        yield from ("", f"________ {test.partition('::')[2]} ________", "")
        for _ in range(dice.randint(5, 14)):
            yield from (f"    {line}" for line in statement(dice).split("\n"))
        yield f">   assert {noun}.total == Decimal('{dice.randint(10, 99_999)}.{dice.randint(0, 99):02d}')"
        yield f"E   {error}"
        yield f"{path(dice)}:{dice.randint(10, 700)}: AssertionError"
        told.append(f"FAILED {test} - {error}")
    if told:
        yield from ("========== short test summary info ==========", *told)


def plan(dice: Random, chars: int) -> str:
    """A query plan, deep and wide."""

    def lines() -> Iterator[str]:
        depth = 0
        while True:
            a, b = dice.sample(NOUNS, 2)
            cost, rows = dice.randint(200, 90_000), dice.randint(1, 400_000)
            node = dice.choice(("Nested Loop", f"Index Scan using ix_{a}_{b} on {a}", f"Seq Scan on {a}_{b}", "Hash Join"))
            yield f"{'  ' * depth}->  {node}  (cost=0.43..{cost}.00 rows={rows} width={dice.randint(8, 240)})"
            yield f"{'  ' * depth}      Index Cond: ({a}.{b}_id = {b}.id)  Rows Removed by Filter: {dice.randint(0, rows)}"
            depth = dice.choice((depth + 1, depth + 1, max(0, depth - 2), depth)) % 9

    return until(lines(), chars)


def rows(dice: Random, chars: int) -> str:
    """Rows of a database, one JSON object a line."""

    def row() -> dict[str, Any]:
        due = dice.randint(1_000, 9_000_000)
        return {
            "charge": dice.randint(100_000, 999_999),
            "port": dice.choice(PORTS),
            "berth": f"{dice.choice('ABCDEF')}{dice.randint(1, 40)}",
            "due_minor": due,
            "currency": dice.choice(CURRENCIES),
            "rate_id": None if dice.random() < 0.3 else dice.randint(1, 4_000),
            "posted_at": f"2026-03-{dice.randint(1, 28):02d}T{dice.randint(0, 23):02d}:{dice.randint(0, 59):02d}:00Z",
        }

    return until((json.dumps(row(), ensure_ascii=False) for _ in iter(int, 1)), chars)


def issues(dice: Random, chars: int) -> str:
    """Entries of an issue tracker."""

    def lines() -> Iterator[str]:
        while True:
            a, b, c = dice.sample(NOUNS, 3)
            number, port, release = dice.randint(100, 2_400), dice.choice(PORTS), f"{dice.randint(3, 9)}.{dice.randint(0, 20)}"
            yield f"## SET-{number}  {a.title()} posted twice when its {c} closes   [{port}]"
            yield f"Seen since release {release}. To repeat: {dice.choice(VERBS)} a {a}, then {dice.choice(VERBS)} its {b}."
            yield f"Expected {dice.randint(1, 90)} {a}s, got {dice.randint(91, 400)}. Until then: by hand."
            yield ""

    return until(lines(), chars)


def chart(dice: Random) -> bytes:
    """A bar chart as PNG: seconds a batch, rising."""
    width, height = 240, 96
    bars = [int(height * (0.15 + 0.7 * at / 40 + 0.1 * dice.random())) for at in range(40)]
    lines = [
        b"\0" + b"".join(b"\xd0\x50\x30" if height - y <= bars[x // 6] and x % 6 else b"\xff\xff\xff" for x in range(width))
        for y in range(height)
    ]

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"".join(lines), 9)) + chunk(b"IEND", b"")
