"""A game: the whole series of hands at a table, with its running totals."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.game.deal import GameDeal
from runner.game.hand import Hand, IllegalAction, Trick
from runner.game.rules import GameRules


@dataclass(frozen=True, slots=True)
class HandResult:
    """A finished hand; `bids`, `won`, `points` and the `totals` after it are by seat."""

    number: int
    size: int
    trump: str | None
    bids: tuple[int, ...]
    won: tuple[int, ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]
    tricks: tuple[Trick, ...]


class Series:
    """A game in play. `number` is the index of `hand`; once `over`, both stay with the last hand."""

    __slots__ = ("deal", "hand", "number", "over", "rules", "totals")

    def __init__(self, game_rules: GameRules, deal: GameDeal) -> None:
        self.rules = game_rules
        self.deal = deal
        self.totals = [0] * game_rules.players
        self.over = False
        self._start_hand(0)

    def _start_hand(self, number: int) -> None:
        dealer = (self.deal.first_dealer + number) % self.rules.players
        self.number = number
        self.hand = Hand(self.rules, number, self.deal.hands[number], dealer)

    def copy(self) -> "Series":
        """Return a game that goes on from here by itself."""
        other = object.__new__(Series)
        other.rules, other.deal, other.number, other.over = self.rules, self.deal, self.number, self.over
        other.totals = self.totals.copy()
        other.hand = self.hand.copy()
        return other

    def finish_hand(self) -> HandResult:
        """Count the points of the hand, which must be over, and deal the next one if there is one."""
        if self.over:
            raise IllegalAction("The game is over: its last hand has been counted.")
        hand, number = self.hand, self.number
        points = hand.points()
        self.totals = [total + more for total, more in zip(self.totals, points, strict=True)]
        if number + 1 < len(self.rules.sizes):
            self._start_hand(number + 1)
        else:
            self.over = True
        return HandResult(
            number,
            hand.size,
            hand.trump,
            tuple(bid for bid in hand.bids if bid is not None),
            tuple(hand.won),
            points,
            tuple(self.totals),
            tuple(hand.tricks),
        )


def places(totals: Sequence[float]) -> tuple[int, ...]:
    """Return the place of each total, from 1; equal totals share the better place (50, 50, 40: 1, 1, 3)."""
    return tuple(1 + sum(other > total for other in totals) for total in totals)
