"""What happens at a table, as facts, and the event lines that they become for a seat that named those events."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from runner.game.hand import BidMade, CardPlayed
from runner.game.series import HandResult
from runner.game.view import View
from runner.protocol.messages import (
    BidEvent,
    BidsEvent,
    EventName,
    GameEnd,
    HandEnd,
    HandStart,
    Message,
    PlayEvent,
    TrickEvent,
)

# These are heard once a hand or a game; the others once an act, and cost time at every act if anybody wants them.
ONCE_A_HAND: frozenset[EventName] = frozenset({"hand_end", "game_end"})


@dataclass(frozen=True, slots=True)
class HandDealt:
    """A hand is dealt; `views[s]` is all that seat s knows of it."""

    views: tuple[View, ...]


@dataclass(frozen=True, slots=True)
class BidsRevealed:
    """Sealed bids are turned over, by seat."""

    bids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over: totals and ranks (1, 1, 3) by seat."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]


Fact = HandDealt | BidMade | BidsRevealed | CardPlayed | HandResult | GameEnded
Observer = Callable[[Fact], None]


def event_messages(  # noqa: PLR0912 - a table: one case for each event
    fact: Fact, game: int, seat: int, wanted: frozenset[EventName]
) -> Iterator[Message]:
    """Yield the events that `fact` is to the bot at `seat`, whose count of games is `game`, of those it wants."""
    match fact:
        case CardPlayed():
            if "play" in wanted:
                yield PlayEvent(game, fact.seat, fact.card)
            if fact.trick is not None and "trick" in wanted:
                yield TrickEvent(game, fact.trick.winner)
        case BidMade():
            if "bid" in wanted:
                yield BidEvent(game, fact.seat, fact.bid)
        case BidsRevealed():
            if "bids" in wanted:
                yield BidsEvent(game, fact.bids)
        case HandDealt():
            if "hand_start" in wanted:
                v = fact.views[seat]
                yield HandStart(game, v.hand, v.size, v.dealer, v.turned, v.trump, v.cards, v.shown)
        case HandResult():
            if "hand_end" in wanted:
                yield HandEnd(
                    game,
                    fact.number,
                    fact.bids,
                    fact.won,
                    fact.points,
                    fact.totals,
                    fact.tricks,
                )
        case GameEnded():
            if "game_end" in wanted:
                yield GameEnd(game, fact.totals, fact.ranks)
