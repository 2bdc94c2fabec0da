"""Deals the cards it cannot see at random, many times over, and plays each of its answers out to the end of the hand.

A deal agrees with all that is known: the cards played, shown and turned, the sizes of the hands, the suits that a
player has shown to be void in and, roughly, the bids. The answer that did best on average is given. The work is bounded
by a number of cards played, never by time, so the seed in `game_start` decides every answer.

A card is one bit of an integer and a set of cards a whole integer, so that what would be loops over cards are single
operations. The bits stand in order of power: the side suits by rank, above them the trumps. So the highest bit of a
hand is its strongest card and the lowest bit the weakest.
"""

import json
import sys
from functools import cache
from random import Random

RANKS = "23456789TJQKA"
BUDGET = 6000  # cards played for one answer, about 3 ms
DRAWS = 2  # deals drawn for one that is used: the one that explains the bids best

rng = Random()
rules = {"must_trump": False, "miss": "zero", "zero": "ten"}


def begin(game):
    rng.seed(game["seed"])
    rules.update(game["rules"])


class Pack:
    """The cards as bits for one trump suit."""

    def __init__(self, trump):
        cards = sorted(
            (rank + suit for suit in "CDHS" for rank in RANKS),
            key=lambda card: (card[1] == trump, RANKS.index(card[0]), card[1]),
        )
        self.bit = {card: 1 << place for place, card in enumerate(cards)}
        self.all = (1 << 52) - 1
        suits = {suit: sum(bit for card, bit in self.bit.items() if card[1] == suit) for suit in "CDHS"}
        self.trumps = suits.get(trump, 0)
        self.suit = {bit: suits[card[1]] for card, bit in self.bit.items()}
        # The cards that take the trick from a card: the higher of its suit and, unless it is one of them, the trumps.
        self.beaters = {
            bit: (suit & -bit & ~bit) | (0 if bit & self.trumps else self.trumps) for bit, suit in self.suit.items()
        }


pack = cache(Pack)


@cache
def values(trump, size, players):
    """The tricks to expect of each card by itself, as every player judges the own hand before the first card."""
    cards = pack(trump)
    void = 0.75**size  # chance that a rival is void in a side suit
    worth = {}
    for bit, suit in cards.suit.items():
        if bit & cards.trumps:
            worth[bit] = 0.85 * (1 - cards.beaters[bit].bit_count() / 51) ** (players - 1)
        else:
            higher = (suit & cards.beaters[bit]).bit_count() / 12
            ruffed = void * cards.trumps.bit_count() / 39
            worth[bit] = 0.4 * (1 - (1 - void) * higher - ruffed) ** (players - 1)
    return worth


class Position:
    """What a request says, in bits: the cards in place, and what is known of those that are not."""

    def __init__(self, request):
        self.pack = pack(request["trump"])
        bit, self.size, self.seat = self.pack.bit, request["size"], request["seat"]
        self.players = len(request["bids"])
        self.values = values(request["trump"], self.size, self.players)
        self.bids, self.won = request["bids"], request["won"]
        self.leader = request["leader"]
        self.trick = [bit[card] for card in request["trick"]]
        self.played = [[] for _ in range(self.players)]
        self.allowed = [self.pack.all] * self.players
        for trick in request["tricks"]:
            self.watch(trick["leader"], [bit[card] for card in trick["cards"]])
        self.watch(self.leader, self.trick)
        # The hands that lie open to this seat: its own or, in a blind hand, all the others.
        hands = list(request["shown"] or [None] * self.players)
        hands[self.seat] = request["cards"]
        self.hands = [[bit[card] for card in hand] if hand is not None else None for hand in hands]
        seen = sum(map(sum, self.played)) + sum(sum(hand) for hand in self.hands if hand)
        if request["turned"]:
            seen |= bit[request["turned"]]
        self.unseen = [card for card in self.pack.suit if not card & seen]
        # How many cards each hidden hand has; those that may take the fewest others choose first in a deal.
        hidden = [seat for seat, hand in enumerate(self.hands) if hand is None]
        count = {seat: self.size - len(self.played[seat]) for seat in hidden}
        spare = {seat: sum(1 for card in self.unseen if card & self.allowed[seat]) - count[seat] for seat in hidden}
        self.missing = {seat: count[seat] for seat in sorted(hidden, key=spare.__getitem__)}

    def watch(self, leader, trick):
        """Notes the cards of a trick and the suits that its players have shown to be void in."""
        for place, card in enumerate(trick):
            seat = (leader + place) % self.players
            self.played[seat].append(card)
            if not card & self.pack.suit[trick[0]]:
                self.allowed[seat] &= ~self.pack.suit[trick[0]]
                if rules["must_trump"] and not card & self.pack.trumps:
                    self.allowed[seat] &= ~self.pack.trumps

    def deal(self):
        """Every hand as a list of cards, the hidden ones drawn at random within what is known."""
        hands, stock, chance = list(self.hands), self.unseen.copy(), rng.random
        stock.sort(key=lambda _: chance())
        short = []
        for seat, count in self.missing.items():
            allowed = self.allowed[seat]
            if allowed == self.pack.all:
                hands[seat], stock = stock[:count], stock[count:]
                continue
            hands[seat] = [card for card in stock if card & allowed][:count]
            taken = sum(hands[seat])
            stock = [card for card in stock if not card & taken]
            short += [seat] * (count - len(hands[seat]))
        for seat in short:
            self.take_over(seat, hands, stock, set())
        return hands

    def take_over(self, seat, hands, stock, asked):
        """Gets a seat one card more from the stock, if need be through others who can take another card for theirs.

        This is a step of matching by augmenting paths: as some deal agrees with what is known, one is found.
        """
        asked.add(seat)
        for card in stock:
            if card & self.allowed[seat]:
                stock.remove(card)
                hands[seat].append(card)
                return True
        for other in self.missing:
            if other in asked:
                continue
            for card in hands[other]:
                if card & self.allowed[seat] and self.take_over(other, hands, stock, asked):
                    hands[other].remove(card)
                    hands[seat].append(card)
                    return True
        return False

    def plausible_deal(self):
        """Of a few deals the one whose hands fit the bids best, with the bids that are not yet made filled in."""
        best = None
        for _ in range(DRAWS):
            hands = self.deal()
            judged = [
                sum(map(self.values.__getitem__, hand)) + sum(map(self.values.__getitem__, played))
                for hand, played in zip(hands, self.played, strict=True)
            ]
            misfit = sum(abs(bid - tricks) for bid, tricks in zip(self.bids, judged, strict=True) if bid is not None)
            if best is None or misfit < best[0]:
                best = misfit, hands, judged
        _, hands, judged = best
        bids = [round(tricks) if bid is None else bid for bid, tricks in zip(self.bids, judged, strict=True)]
        return [sum(hand) for hand in hands], bids

    def taken_by(self, trick):
        """The best card of a trick and the seat that played it; of an empty one, no card and the leader."""
        best, holder = 0, self.leader
        for place, card in enumerate(trick):
            if not best or card & self.pack.beaters[best]:
                best, holder = card, (self.leader + place) % self.players
        return best, holder

    def play_out(self, hands, bids, trick):
        """Plays the hand to its end, everyone by one quick policy, and returns the tricks won by seat.

        `hands` are sets of cards by seat, without those of `trick`, and are used up.
        """
        suit, beaters, trumps = self.pack.suit, self.pack.beaters, self.pack.trumps
        duty = trumps if rules["must_trump"] else 0
        players = self.players
        last = players - 1
        need = [bid - won for bid, won in zip(bids, self.won, strict=True)]
        best, holder = self.taken_by(trick)
        led = suit[trick[0]] if trick else 0
        seat = (self.leader + len(trick)) % players
        count = len(trick)
        while count or hands[seat]:
            while count < players:
                hand = hands[seat]
                if not count:
                    card = 1 << hand.bit_length() - 1 if need[seat] > 0 else hand & -hand
                    led, best, holder = suit[card], card, seat
                else:
                    legal = hand & led or hand & duty or hand
                    winners = legal & beaters[best]
                    if need[seat] > 0:
                        if winners:
                            # The last player wins as cheaply as it can, one before that as surely.
                            card = winners & -winners if count == last else 1 << winners.bit_length() - 1
                            best, holder = card, seat
                        else:
                            # Keeps as many of its strongest cards as it needs and is rid of the next.
                            rest = hand
                            for _ in range(need[seat]):
                                rest ^= rest and 1 << rest.bit_length() - 1
                            rest &= legal
                            card = 1 << rest.bit_length() - 1 if rest else legal & -legal
                    else:
                        losers = legal & ~winners
                        if losers:
                            card = 1 << losers.bit_length() - 1
                        else:
                            card = 1 << legal.bit_length() - 1 if count == last else legal & -legal
                            best, holder = card, seat
                hands[seat] = hand ^ card
                seat = seat + 1 if seat < last else 0
                count += 1
            need[holder] -= 1
            seat = holder
            count = 0
        return [bid - left for bid, left in zip(bids, need, strict=True)]

    def points(self, bid, won):
        if bid == won:
            return 5 + self.size if bid == 0 and rules["zero"] == "size" else 10 + bid
        return {"zero": 0, "tricks": won, "difference": -abs(bid - won)}[rules["miss"]]

    def gain(self, bids, won):
        """Own points less what the others get on average: the rating compares the players of a table."""
        scores = list(map(self.points, bids, won))
        return scores[self.seat] * self.players - sum(scores)


def worlds(position, options, left):
    """How many deals the budget pays for; drawing a card costs about half of what playing one does."""
    return max(10, BUDGET // (options * left + DRAWS * len(position.unseen) // 2))


def choose_bid(request):
    position = Position(request)
    seat, legal = position.seat, request["legal"]
    hands = position.hands[seat]
    guess = sum(map(position.values.__getitem__, hands)) if hands else 0
    options = sorted(legal, key=lambda bid: abs(bid - guess))[:5]
    total = dict.fromkeys(options, 0)
    for _ in range(worlds(position, len(options), position.size * position.players)):
        hands, bids = position.plausible_deal()
        for bid in options:
            bids[seat] = bid
            total[bid] += position.gain(bids, position.play_out(hands.copy(), bids, []))
    return max(options, key=total.__getitem__)


def choose_card(request):
    position = Position(request)
    seat, bit, pack = position.seat, position.pack.bit, position.pack
    # Cards with no card still out between them do the same: one of them is tried for all.
    live = sum(position.unseen) + sum(position.trick)
    options = {(pack.suit[bit[card]], pack.beaters[bit[card]] & live): card for card in request["legal"]}
    cards = list(options.values())
    if len(cards) == 1:
        return cards[0]
    total = dict.fromkeys(cards, 0)
    left = len(request["cards"]) * position.players - len(position.trick)
    for _ in range(worlds(position, len(cards), left)):
        hands, bids = position.plausible_deal()
        for card in cards:
            after = hands.copy()
            after[seat] ^= bit[card]
            won = position.play_out(after, bids, [*position.trick, bit[card]])
            total[card] += position.gain(bids, won)
    return max(cards, key=total.__getitem__)


def reply(**answer):
    """One line in one write (print may make two); flushed, or it would wait here while the runner waits for it."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main():
    for line in sys.stdin:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                reply(type="ready", protocol=1)
            case "game_start":
                begin(message)
            case "request_bid":
                reply(id=message["id"], bid=choose_bid(message))
            case "request_play":
                reply(id=message["id"], card=choose_card(message))
            case "quit":
                break


if __name__ == "__main__":
    main()
