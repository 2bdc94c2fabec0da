"""What is played and what comes of it, as plain data that crosses process borders and goes into the store."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """One match to play: a table on a deal of its own.

    `entrants` are ids in seat order of rotation 0; rotation r seats entrants[i] at seat (i + r) mod k.
    `stand_ins` are the ids among them whose seat the stand-in holds from the first card (disqualified before).
    `key` is the 32-byte hash of all that goes into the match.
    """

    key: bytes
    deal: str
    entrants: tuple[str, ...]
    stand_ins: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class HandSummary:
    """One finished hand: its size, the trump suit (None without), bids and tricks won by seat."""

    size: int
    trump: str | None
    bids: tuple[int, ...]
    won: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A bot's remark beside one of its decisions (numbered from 0 within the game)."""

    decision: int
    text: str


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game of a match. `totals` by seat; `log` is `runner.record`'s encoding of every act and decision time."""

    rotation: int
    decisions: int
    totals: tuple[int, ...]
    hands: tuple[HandSummary, ...]
    log: bytes
    notes: tuple[Note, ...] = ()
    notes_dropped: int = 0


@dataclass(frozen=True, slots=True)
class FaultRecord:
    """What a bot did wrong, and where: `decision` is the request's number within the game, from 0.

    It is -1 for a fault before the first request of the game (start, handshake), and the number of the game's decisions
    for one that was seen only when the game was over (more written than was asked for).
    `raw` is the offending line (at most 200 bytes), `stderr` the end of what the bot wrote there.
    """

    entrant: str
    seat: int
    rotation: int
    decision: int
    kind: str
    detail: str
    raw: bytes
    stderr: bytes

    @property
    def when(self) -> str:
        """Return which request of the game it was, in words."""
        return "before its first request" if self.decision < 0 else f"decision {self.decision}"


@dataclass(frozen=True, slots=True)
class SeatResult:
    """An entrant's result in a match. `total` is the sum of points over the k games, capped if it faulted.

    `rank` is from 1, ties share the better place ("1224"). `stand_in` says that the stand-in held the seat
    from some point on (a fault) or from the first card (disqualified).
    """

    entrant: str
    snapshot: bytes
    total: int
    rank: int
    stand_in: bool


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match as played: `seats` in seat order of rotation 0, `games` in order of rotation."""

    key: bytes
    deal: str
    seats: tuple[SeatResult, ...]
    games: tuple[GameRecord, ...]
    faults: tuple[FaultRecord, ...]

    @property
    def decisions(self) -> int:
        """Return how many requests were answered over all games."""
        return sum(game.decisions for game in self.games)
