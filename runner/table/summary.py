"""What a rating needs to know of a match: scores, ranks and faults, without games, logs and notes."""

from dataclasses import dataclass
from operator import eq

from runner.table.results import MatchResult


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """An entrant's part in a match: `total` over its games, `rank` from 1 with ties sharing the better place.

    `faults` are the kinds of its faults; `bids_made` counts the hands, over all games, whose bid came true.
    """

    entrant: str
    total: int
    rank: int
    stand_in: bool
    faults: tuple[str, ...]
    bids_made: int


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match in short: how many games and, over them all, hands were played; `seats` as in rotation 0."""

    key: bytes
    games: int
    hands: int
    seats: tuple[SeatSummary, ...]


def summarize(result: MatchResult) -> MatchSummary:
    """Return `result` in short."""
    size = len(result.seats)
    bids_made = [0] * size
    for game in result.games:
        bids = zip(*(hand.bids for hand in game.hands), strict=True)
        won = zip(*(hand.won for hand in game.hands), strict=True)
        for seat, (bid_by_hand, won_by_hand) in enumerate(zip(bids, won, strict=True)):
            bids_made[(seat - game.rotation) % size] += sum(map(eq, bid_by_hand, won_by_hand))
    seats = tuple(
        SeatSummary(
            seat.entrant,
            seat.total,
            seat.rank,
            seat.stand_in,
            tuple(fault.kind for fault in result.faults if fault.entrant == seat.entrant),
            made,
        )
        for seat, made in zip(result.seats, bids_made, strict=True)
    )
    return MatchSummary(result.key, len(result.games), sum(len(game.hands) for game in result.games), seats)
