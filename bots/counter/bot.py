"""Bids what its cards are worth and plays towards that bid, counting the cards that are still out.

Remembers nothing: a request carries the whole hand so far, the tricks taken included, so the cards not yet seen are
worked out afresh each time.
"""

import json
import sys

RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "CDHS" for rank in RANKS]

# What a card would win if nobody minded who takes the trick is more than it does win: the others fight for tricks or
# duck them, and a side suit may never be led. Both shares were tuned by playing.
TRUMP_SHARE, SIDE_SHARE = 0.85, 0.4


def beats(card, best, trump):
    """Whether `card`, played later, takes the trick from `best`."""
    if card[1] == best[1]:
        return RANKS.index(card[0]) > RANKS.index(best[0])
    return card[1] == trump


def best_card(trick, trump):
    """The card that takes the trick so far."""
    best = trick[0]
    for card in trick[1:]:
        if beats(card, best, trump):
            best = card
    return best


def unseen_cards(request):
    """The cards that are in another hand or in the stock, for all that this seat can tell."""
    seen = {request["turned"], *(request["cards"] or ()), *request["trick"]}
    for hand in request["shown"] or ():
        seen.update(hand or ())
    for trick in request["tricks"]:
        seen.update(trick["cards"])
    return [card for card in PACK if card not in seen]


def worth(card, unseen, size, rivals, trump):
    """The tricks, less than one, to expect of a card in a hand of `size` cards against so many rivals.

    A rival who holds the suit beats it with a higher card of the suit, one who is void in it with a trump.
    """
    suit = [other for other in unseen if other[1] == card[1]]
    higher = sum(beats(other, card, trump) for other in suit)
    if card[1] == trump:
        return TRUMP_SHARE * (1 - higher / len(unseen)) ** rivals
    trumps = sum(other[1] == trump for other in unseen)
    rest = len(unseen) - len(suit)
    void = (rest / len(unseen)) ** size
    beaten = (1 - void) * higher / max(1, len(suit)) + void * trumps / max(1, rest)
    return SIDE_SHARE * (1 - beaten) ** rivals


def blind_chance(request, unseen):
    """Share of the cards that might be the own one which win against the cards that the others show."""
    seat, leader, trump, shown = request["seat"], request["leader"], request["trump"], request["shown"]
    players = len(shown)
    others = [shown[(leader + step) % players][0] for step in range(players) if (leader + step) % players != seat]
    if seat == leader:
        return sum(not any(beats(other, card, trump) for other in others) for card in unseen) / len(unseen)
    return sum(beats(card, best_card(others, trump), trump) for card in unseen) / len(unseen)


def choose_bid(request):
    unseen, trump, size = unseen_cards(request), request["trump"], request["size"]
    if request["cards"] is None:
        tricks = size * blind_chance(request, unseen)
    else:
        rivals = len(request["bids"]) - 1
        tricks = sum(worth(card, unseen, size, rivals, trump) for card in request["cards"])
    return min(request["legal"], key=lambda bid: abs(bid - tricks))


def choose_card(request):
    seat, trump, trick, legal = request["seat"], request["trump"], request["trick"], request["legal"]
    unseen = unseen_cards(request)

    def strength(card):
        """How many of the cards that are still out do not beat it."""
        return -sum(beats(other, card, trump) for other in unseen)

    winners = [card for card in legal if not trick or beats(card, best_card(trick, trump), trump)]
    losers = [card for card in legal if card not in winners]
    last = len(trick) == len(request["bids"]) - 1
    need = request["bids"][seat] - request["won"][seat]

    if need > 0 and winners:
        # Nobody plays after the last: it wins as cheaply as it can. Before that, the strongest has the best chance.
        return min(winners, key=strength) if last else max(winners, key=strength)
    if need > 0:
        # The trick is lost: keep as many of the strongest cards as are needed, and be rid of the next.
        kept = sorted(request["cards"], key=strength)[-need:]
        rest = [card for card in losers if card not in kept]
        return max(rest, key=strength) if rest else min(losers, key=strength)
    if losers:
        return max(losers, key=strength)
    # A trick too many cannot be helped by the last: let it at least cost the strongest card.
    return max(winners, key=strength) if last else min(winners, key=strength)


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
            case "request_bid":
                reply(id=message["id"], bid=choose_bid(message))
            case "request_play":
                reply(id=message["id"], card=choose_card(message))
            case "quit":
                break


if __name__ == "__main__":
    main()
