"""One hand: bids, then tricks. Every act is a triple: `verify_x` raises, `can_x` tells, `x` acts and says what it did.

Seats run 0 … n - 1 clockwise. The seat on the dealer's left bids first and leads first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, TypeVar

from runner.errors import OhHellError
from runner.game.cards import NUMBER, Card
from runner.game.deal import HandDeal
from runner.game.rules import GameRules
from runner.game.score import score

T = TypeVar("T")


class IllegalAction(OhHellError):
    """An act that the rules do not allow; the sentence names the rule."""


# Without slots: requests list every trick of a hand, and one with a __dict__ is encoded in two thirds of the time.
@dataclass(frozen=True)
class Trick:
    """A finished trick: the seat that led, the seat that won, the cards in order of play from the leader's."""

    leader: int
    winner: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class BidMade:
    """A seat has bid, or changed its bid."""

    seat: int
    bid: int


class CardPlayed(NamedTuple):
    """A seat has played a card; `trick` is the trick if this card ended it."""

    seat: int
    card: Card
    trick: Trick | None


# Half the cost of the class's own constructor; it is made for every card.
_played = partial(tuple.__new__, CardPlayed)


class Hand:
    """A hand in play, for whoever may know everything; what a seat may know is `runner.game.view`.

    `turn` is the seat to act, None when the hand is over. With sealed bids it is the first seat clockwise from the
    dealer's left that has not bid. `bids` and `won` (tricks) are by seat. `leader` is the seat that leads, or led, the
    current trick; `trick` has that trick's cards, `tricks` the finished ones. `cards` are those still held, by seat,
    in number order. `standing` is the seat that may still change its bid, if any.
    """

    __slots__ = (
        "_best",
        "_legal_bids",
        "_legal_cards",
        "_winner",
        "bids",
        "blind",
        "cards",
        "dealer",
        "game_rules",
        "leader",
        "must_trump",
        "phase",
        "players",
        "size",
        "standing",
        "trick",
        "tricks",
        "trump",
        "turn",
        "turned",
        "won",
    )

    def __init__(self, game_rules: GameRules, index: int, deal: HandDeal, dealer: int) -> None:
        players = game_rules.players
        self.game_rules = game_rules
        self.players = players
        self.must_trump = game_rules.rules.must_trump
        self.size = game_rules.sizes[index]
        self.blind = game_rules.blind[index]
        self.dealer = dealer
        self.turned = deal.turned
        self.trump = deal.trump
        self.cards: list[list[Card]] = [list(cards) for cards in deal.cards]
        self.bids: list[int | None] = [None] * players
        self.won = [0] * players
        self.leader = (dealer + 1) % players
        self.turn: int | None = self.leader
        self.phase: Literal["bidding", "playing", "over"] = "bidding"
        self.standing: int | None = None
        self.trick: list[Card] = []
        self.tricks: list[Trick] = []
        self._legal_bids: list[int] | None = None
        self._legal_cards: list[Card] | None = None
        self._winner = self.leader
        self._best: Card = self.cards[self.leader][0]

    def copy(self) -> "Hand":
        """Return a hand that goes on from here by itself."""
        other = object.__new__(Hand)
        for name in Hand.__slots__:
            setattr(other, name, getattr(self, name))
        other.cards = [cards.copy() for cards in self.cards]
        other.bids = self.bids.copy()
        other.won = self.won.copy()
        other.trick = self.trick.copy()
        other.tricks = self.tricks.copy()
        return other

    # Bidding

    def legal_bids(self) -> list[int]:
        """Return what the seat to act may bid, rising; [] if no bid is due.

        The hook bars from the last bidder, and from nobody else, the bid that makes the total equal the hand's size.
        """
        if self.phase != "bidding":
            return []
        if self._legal_bids is None:
            barred = self.barred_bid()
            self._legal_bids = [bid for bid in range(self.size + 1) if bid != barred]
        return self._legal_bids

    def barred_bid(self) -> int | None:
        """Return the bid that the hook bars from the seat to act, worked out from the bids that stand."""
        hook = self.game_rules.rules.hook
        if not hook or self.size < hook or self.turn != self.dealer or self.phase != "bidding":
            return None
        barred = self.size - sum(bid for bid in self.bids if bid is not None)
        return barred if barred >= 0 else None

    def verify_bid(self, seat: int, bid: int) -> None:
        """Raise `IllegalAction` unless `seat` may bid `bid` now."""
        if self.phase != "bidding":
            raise IllegalAction(f"Seat {seat} cannot bid: the bidding is over.")
        if seat != self.turn:
            raise IllegalAction(f"Seat {seat} cannot bid: seat {self.turn} is to bid.")
        self._verify_number(seat, bid)
        if bid not in self.legal_bids():
            raise IllegalAction(
                f"Seat {seat} cannot bid {bid}: the hook bars the last bidder from making the bids "
                f"total {self.size}, the hand's size."
            )

    def can_bid(self, seat: int, bid: int) -> bool:
        """Tell whether `seat` may bid `bid` now."""
        return _allowed(self.verify_bid, seat, bid)

    def bid(self, seat: int, bid: int) -> BidMade:
        """Bid `bid` for `seat`. Raises `IllegalAction`."""
        # A bool or a float can equal a bid without being one.
        if seat != self.turn or bid not in self.legal_bids() or type(bid) is not int:
            self.verify_bid(seat, bid)
        self.bids[seat] = bid
        self._legal_bids = None
        if seat == self.dealer:
            self.phase = "playing"
            self.standing = None
            self.turn = self.leader
        else:
            self.turn = (seat + 1) % self.players
            self.standing = seat if self.game_rules.rules.change_bid else None
        return BidMade(seat, bid)

    def verify_change_bid(self, seat: int, bid: int) -> None:
        """Raise `IllegalAction` unless `seat` may change its bid to `bid` now; to the same number is allowed."""
        if not self.game_rules.rules.change_bid:
            raise IllegalAction(f"Seat {seat} cannot change its bid: change of bid is off in these rules.")
        if seat != self.standing:
            raise IllegalAction(
                f"Seat {seat} cannot change its bid: a bid may be changed only until the next player on the left "
                "has bid, and the dealer's is final."
            )
        self._verify_number(seat, bid)

    def can_change_bid(self, seat: int, bid: int) -> bool:
        """Tell whether `seat` may change its bid to `bid` now."""
        return _allowed(self.verify_change_bid, seat, bid)

    def change_bid(self, seat: int, bid: int) -> BidMade:
        """Put `bid` in the place of the bid of `seat`. Raises `IllegalAction`."""
        self.verify_change_bid(seat, bid)
        self.bids[seat] = bid
        self._legal_bids = None
        return BidMade(seat, bid)

    def _verify_number(self, seat: int, bid: int) -> None:
        if type(bid) is not int or not 0 <= bid <= self.size:
            raise IllegalAction(f"Seat {seat} cannot bid {bid!r}: a bid is a whole number from 0 to {self.size}.")

    # Play

    def legal_cards(self) -> list[Card]:
        """Return what the seat to act may play, in number order; [] if no card is due.

        The suit led must be followed. A seat void in it plays any card, with `must_trump` a trump if it has one.
        """
        if self.phase != "playing":
            return []
        legal = self._legal_cards
        if legal is None:
            held = self.cards[self.turn]  # type: ignore[index]  # somebody is to act while cards are played
            if self.trick:
                led = self.trick[0][1]
                legal = [card for card in held if card[1] == led]
                if not legal:
                    if self.must_trump:
                        legal = [card for card in held if card[1] == self.trump]
                    legal = legal or held.copy()
            else:
                legal = held.copy()
            self._legal_cards = legal
        return legal

    def verify_play(self, seat: int, card: Card) -> None:
        """Raise `IllegalAction` unless `seat` may play `card` now."""
        if self.phase != "playing":
            what = "bidding is not over" if self.phase == "bidding" else "hand is over"
            raise IllegalAction(f"Seat {seat} cannot play a card: the {what}.")
        if seat != self.turn:
            raise IllegalAction(f"Seat {seat} cannot play a card: seat {self.turn} is to play.")
        legal = self.legal_cards()
        if card in legal:
            return
        if card not in self.cards[seat]:
            raise IllegalAction(f"Seat {seat} cannot play {card!r}: it does not hold that card.")
        led = self.trick[0][1]
        rule = (
            f"a suit led must be followed, and it holds {' '.join(legal)}"
            if legal[0][1] == led
            else f"void in the suit led it must play a trump, and it holds {' '.join(legal)}"
        )
        raise IllegalAction(f"Seat {seat} cannot play {card}: {rule}.")

    def can_play(self, seat: int, card: Card) -> bool:
        """Tell whether `seat` may play `card` now."""
        return _allowed(self.verify_play, seat, card)

    def play(self, seat: int, card: Card) -> CardPlayed:
        """Play `card` for `seat`. Raises `IllegalAction`."""
        if seat != self.turn or card not in (self._legal_cards or self.legal_cards()):
            self.verify_play(seat, card)
        self._legal_cards = None
        self.cards[seat].remove(card)
        trick = self.trick
        if not trick:
            self._best, self._winner = card, seat
        else:
            best = self._best
            # Within a suit the higher number wins; across suits only a trump beats what lies.
            if NUMBER[card] > NUMBER[best] if card[1] == best[1] else card[1] == self.trump:
                self._best, self._winner = card, seat
        trick.append(card)
        if len(trick) < self.players:
            self.turn = (seat + 1) % self.players
            return _played((seat, card, None))
        return _played((seat, card, self._end_trick()))

    def _end_trick(self) -> Trick:
        winner = self._winner
        done = Trick(self.leader, winner, tuple(self.trick))
        self.tricks.append(done)
        self.trick = []
        self.won[winner] += 1
        self.leader = winner
        self.turn = winner
        if len(self.tricks) == self.size:
            self.phase = "over"
            self.turn = None
        return done

    def points(self) -> tuple[int, ...]:
        """Return the points of each seat for this hand, which must be over."""
        if self.phase != "over":
            raise IllegalAction("A hand has no points before its last trick has been played.")
        rules = self.game_rules.rules
        return tuple(
            score(rules, self.size, bid, won) for bid, won in zip(self.bids, self.won, strict=True) if bid is not None
        )


def _allowed(verify: Callable[[int, T], None], seat: int, what: T) -> bool:
    try:
        verify(seat, what)
    except IllegalAction:
        return False
    return True
