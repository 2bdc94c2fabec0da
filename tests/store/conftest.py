"""Results to store: made up, but of the size and shape of real ones."""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.store.store import Store
from runner.table.results import FaultRecord, GameRecord, HandSummary, MatchResult, Note, SeatResult

SIZES = (*range(10, 0, -1), *range(2, 11))


def key_of(number: int) -> bytes:
    return hashlib.sha256(b"match %d" % number).digest()


def make_result(number: int, entrants: tuple[str, ...] = ("ada", "bob", "cy", "dee"), **changes) -> MatchResult:
    """Return a classic match of `entrants`, its cards and scores drawn from `number`."""
    rng = random.Random(number)
    size = len(entrants)
    games = []
    for rotation in range(size):
        hands, totals = [], [0] * size
        for cards in SIZES:
            won = [0] * size
            for _ in range(cards):
                won[rng.randrange(size)] += 1
            bids = [max(0, tricks + rng.choice([0, 0, 1, -1])) for tricks in won]
            hands.append(HandSummary(cards, rng.choice("CDHS"), tuple(bids), tuple(won)))
            for seat in range(size):
                totals[seat] += won[seat] + 10 * (bids[seat] == won[seat])
        games.append(GameRecord(rotation, 357, tuple(totals), tuple(hands), rng.randbytes(1_000)))
    sums = [sum(game.totals[(i + game.rotation) % size] for game in games) for i in range(size)]
    seats = tuple(
        SeatResult(entrant, hashlib.sha256(entrant.encode()).digest(), total, 1 + sum(o > total for o in sums), False)
        for entrant, total in zip(entrants, sums, strict=True)
    )
    parts = {"key": key_of(number), "deal": f"{number:016x}.0", "seats": seats, "games": tuple(games), "faults": ()}
    return MatchResult(**(parts | changes))


def make_faulty(number: int) -> MatchResult:
    """Return a match in which bob faulted twice over, with notes and texts that are hard to store."""
    plain = make_result(number)
    seats = tuple(
        SeatResult(seat.entrant, seat.snapshot, seat.total, 4 if seat.entrant == "bob" else 1, seat.entrant == "bob")
        for seat in plain.seats
    )
    first = plain.games[0]
    noted = GameRecord(
        0, 357, first.totals, first.hands, first.log, (Note(0, "I say 2"), Note(7, "half \ud83d a pair\x00")), 3
    )
    faults = (
        FaultRecord("bob", 1, 0, 5, "illegal", '"QH" is not one of 2C', b'{"id":1,"card":"QH"}', b"oh no\xff\n"),
        FaultRecord("bob", 2, 1, -1, "died", "exit status 3", b"", b""),
    )
    return MatchResult(plain.key, plain.deal, seats, (noted, *plain.games[1:]), faults)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path / "run") as opened:
        yield opened
