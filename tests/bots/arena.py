"""A small Oh Hell of its own, written from the rules alone, that seats bots and sends them requests as on the wire.

It shares no code with the runner, so that a mistake in one is not repeated in the other, and it is slow and plain.
"""

import importlib.util
import itertools
from collections.abc import Sequence
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

BOTS = Path(__file__).parents[2] / "bots"
RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "CDHS" for rank in RANKS]
CLASSIC = {
    "bids": "in_turn",
    "hook": True,
    "change_bid": True,
    "trump": "turned",
    "no_trump": "none",
    "trumps": None,
    "must_trump": False,
    "blind": "never",
    "miss": "zero",
    "zero": "ten",
}
CLASSIC_SIZES = [*range(10, 0, -1), *range(2, 11)]
Deal = tuple[list[list[str]], str | None, str | None]


def load(name: str) -> ModuleType:
    """A fresh copy of the house bot's module, so that every seat has a state of its own."""
    spec = importlib.util.spec_from_file_location(f"house_{name}", BOTS / name / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def deal_hand(rng: Random, players: int, sizes: Sequence[int], number: int, rules: dict[str, Any]) -> Deal:
    """Cards by seat, the turned card and the trump suit of one hand."""
    size, cards = sizes[number], rng.sample(PACK, 52)
    hands = [sorted(cards[seat : players * size : players], key=PACK.index) for seat in range(players)]
    if rules["trump"] == "list":
        trump = rules["trumps"][number % len(rules["trumps"])]
        return hands, None, None if trump == "NT" else trump
    bare = {"none": False, "last": number == len(sizes) - 1, "largest": size == max(sizes)}[rules["no_trump"]]
    if bare or players * size == 52:
        return hands, None, None
    turned = cards[players * size]
    return hands, turned, turned[1]


def points(bid: int, won: int, size: int, rules: dict[str, Any]) -> int:
    if bid == won:
        return 5 + size if bid == 0 and rules["zero"] == "size" else 10 + bid
    return {"zero": 0, "tricks": won, "difference": -abs(bid - won)}[rules["miss"]]


def winner(trick: Sequence[str], trump: str | None) -> int:
    """Place in the trick, counted from its leader, of the card that takes it."""
    strongest = trump if any(card[1] == trump for card in trick) else trick[0][1]
    return max(range(len(trick)), key=lambda i: (trick[i][1] == strongest, RANKS.index(trick[i][0])))


def legal_cards(hand: list[str], trick: Sequence[str], trump: str | None, rules: dict[str, Any]) -> list[str]:
    following = [card for card in hand if trick and card[1] == trick[0][1]]
    trumps = [card for card in hand if trick and card[1] == trump and rules["must_trump"]]
    return following or trumps or hand


def game_start(seat: int, sizes: Sequence[int], rules: dict[str, Any], players: int, seed: int) -> dict[str, Any]:
    return {
        "type": "game_start",
        "game": 1,
        "seat": seat,
        "players": players,
        "sizes": list(sizes),
        "rules": rules,
        "seed": seed,
        "clock": {"start_ms": 5000, "move_ms": 1000, "move_wall_ms": 5500, "bank_ms": None},
        "names": None,
    }


class Table:
    """One game in progress; a bot is a module with `choose_bid`, `choose_card` and perhaps `begin`."""

    def __init__(self, bots: Sequence[Any], sizes: Sequence[int], rules: dict[str, Any], seed: int = 1):
        self.bots, self.sizes, self.rules, self.players = bots, sizes, rules, len(bots)
        self.totals = [0] * self.players
        self.ids = itertools.count(seed * 1000, 7)
        self.asked: list[tuple[int, dict[str, Any], Any]] = []
        for seat, bot in enumerate(bots):
            if hasattr(bot, "begin"):  # a bot without memory has no use for it
                bot.begin(game_start(seat, sizes, rules, self.players, seed * 8 + seat))

    def play(self, deals: Sequence[Deal], first_dealer: int = 0) -> list[int]:
        for number, deal in enumerate(deals):
            self.play_hand(number, deal, (first_dealer + number) % self.players)
        return self.totals

    def play_hand(self, number: int, deal: Deal, dealer: int) -> None:
        cards, turned, trump = deal
        cards = [list(hand) for hand in cards]
        size, players, rules = self.sizes[number], self.players, self.rules
        blind = (rules["blind"] == "ones" and size == 1) or (rules["blind"] == "last" and number == len(self.sizes) - 1)
        bids: list[int | None] = [None] * players
        won = [0] * players
        tricks: list[dict[str, Any]] = []
        trick: list[str] = []
        leader = (dealer + 1) % players

        def ask(kind: str, seat: int, legal: list[Any], shown_bids: list[int | None]) -> Any:
            if len(legal) == 1:
                return legal[0]
            request = {
                "type": f"request_{kind}",
                "id": next(self.ids),
                "legal": list(legal),
                "game": 1,
                "hand": number,
                "size": size,
                "seat": seat,
                "dealer": dealer,
                "turned": turned,
                "trump": trump,
                "cards": None if blind else list(cards[seat]),
                "shown": [None if other == seat else list(cards[other]) for other in range(players)] if blind else None,
                "bids": shown_bids,
                "won": list(won),
                "leader": leader,
                "trick": list(trick),
                "tricks": list(tricks),
                "totals": list(self.totals),
            }
            bot = self.bots[seat]
            answer = bot.choose_bid(request) if kind == "bid" else bot.choose_card(request)
            assert answer in legal, f"{bot.__name__} answered {answer!r} to {request}"
            assert isinstance(answer, int if kind == "bid" else str)
            self.asked.append((seat, request, answer))
            return answer

        sealed = rules["bids"] == "sealed"
        for step in range(players):
            seat = (leader + step) % players
            legal = list(range(size + 1))
            hook = rules["hook"] is True or (rules["hook"] is not False and size >= rules["hook"])
            if hook and seat == dealer:
                legal = [bid for bid in legal if bid + sum(b for b in bids if b is not None) != size]
            bids[seat] = ask("bid", seat, legal, [None] * players if sealed else list(bids))
        for _ in range(size):
            trick.clear()
            for step in range(players):
                seat = (leader + step) % players
                legal = legal_cards(cards[seat], trick, trump, rules)
                card = cards[seat][0] if blind else ask("play", seat, legal, list(bids))
                cards[seat].remove(card)
                trick.append(card)
            takes = (leader + winner(trick, trump)) % players
            tricks.append({"leader": leader, "winner": takes, "cards": list(trick)})
            won[takes] += 1
            leader = takes
        for seat in range(players):
            bid = bids[seat]
            assert bid is not None
            self.totals[seat] += points(bid, won[seat], size, rules)


def play_match(
    names: Sequence[str], sizes: Sequence[int], rules: dict[str, Any], seed: int, bots: Sequence[Any] | None = None
) -> list[float]:
    """Mean points a game of each entrant over all rotations of one deal."""
    rng, players = Random(seed), len(names)
    deals = [deal_hand(rng, players, sizes, number, rules) for number in range(len(sizes))]
    first_dealer = rng.randrange(players)
    bots = bots or [load(name) for name in names]
    sums = [0] * players
    for rotation in range(players):
        seated = [bots[(seat - rotation) % players] for seat in range(players)]
        totals = Table(seated, sizes, rules, seed=seed * 10 + rotation).play(deals, first_dealer)
        for entrant in range(players):
            sums[entrant] += totals[(entrant + rotation) % players]
    return [total / players for total in sums]
