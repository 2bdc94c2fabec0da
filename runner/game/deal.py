"""What is dealt: a pure function of the run's seed, the deal's name and the plan of the hands.

Labels of the streams, D the deal's name: `deal/D/draw` (first dealer), `deal/D/hand/H`, `deal/D/seats`,
`deal/D/stand-in/ROTATION/SEAT`, `deal/D/bot/ROTATION/SEAT`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from runner.game.cards import PACK, RANK, Card
from runner.game.rules import TURNED, GameRules
from runner.game.stream import Stream


@dataclass(frozen=True, slots=True)
class HandDeal:
    """One hand as dealt: the cards of each seat sorted by number, the card turned up, the trump suit.

    `turned` and `trump` are None where nothing is turned and where there is no trump.
    """

    cards: tuple[tuple[Card, ...], ...]
    turned: Card | None
    trump: str | None


@dataclass(frozen=True, slots=True)
class GameDeal:
    """A whole game as dealt; `first_dealer` deals hand 0, the deal passes clockwise after every hand."""

    first_dealer: int
    hands: tuple[HandDeal, ...]


def draw_dealer(order: list[int], players: int) -> int:
    """Return the seat that draws the highest card from the pack in `order` (card numbers).

    Ranks alone count; the tied seats draw on from the same pack, in seat order. Should the pack end on a tie,
    the first of the tied seats deals.
    """
    seats, cards = list(range(players)), iter(order)
    while len(seats) > 1:
        drawn = [(seat, RANK[PACK[number]]) for seat, number in zip(seats, cards, strict=False)]
        if not drawn:
            break
        highest = max(rank for _, rank in drawn)
        seats = [seat for seat, rank in drawn if rank == highest]
    return seats[0]


def deal_hand(order: list[int], players: int, size: int, plan: str | None, dealer: int) -> HandDeal:
    """Deal `size` cards to each seat, one at a time from the dealer's left; `plan` is the hand's `GameRules.trumps`."""
    dealt = size * players
    cards = tuple(
        tuple(PACK[number] for number in sorted(order[(seat - dealer - 1) % players : dealt : players]))
        for seat in range(players)
    )
    if plan != TURNED:
        return HandDeal(cards, None, plan)
    turned = PACK[order[dealt]]
    return HandDeal(cards, turned, turned[1])


def deal_game(game_rules: GameRules, seed: bytes, name: str) -> GameDeal:
    """Deal every hand of the deal called `name`; all rotations of a match share the result."""
    players = game_rules.players
    first_dealer = game_rules.rules.first_dealer
    if first_dealer == "draw":
        first_dealer = draw_dealer(Stream(seed, f"deal/{name}/draw").shuffle(len(PACK)), players)
    hands = (
        deal_hand(
            Stream(seed, f"deal/{name}/hand/{number}").shuffle(len(PACK)),
            players,
            size,
            game_rules.trumps[number],
            (first_dealer + number) % players,
        )
        for number, size in enumerate(game_rules.sizes)
    )
    return GameDeal(first_dealer, tuple(hands))


def seat_order(seed: bytes, name: str, ids: Iterable[str]) -> tuple[str, ...]:
    """Return the entrants of a table in seat order of rotation 0; rotation r seats entrant i at seat (i + r) mod k."""
    in_order = sorted(ids)
    return tuple(in_order[index] for index in Stream(seed, f"deal/{name}/seats").shuffle(len(in_order)))


def stand_in_stream(seed: bytes, name: str, rotation: int, seat: int) -> Stream:
    """Return what a stand-in plays by: `below(len(legal))` once for every request its seat would have been sent."""
    return Stream(seed, f"deal/{name}/stand-in/{rotation}/{seat}")


def bot_seed(seed: bytes, name: str, rotation: int, seat: int) -> int:
    """Return the number (0 … 2^31 - 1) a bot is given for chance of its own; it says nothing about the cards."""
    return Stream(seed, f"deal/{name}/bot/{rotation}/{seat}").word() >> 1
