"""Bids what its cards are worth and plays towards that bid, counting the cards that are still out.

Remembers nothing: a request carries the whole hand so far, the tricks taken included, so the cards not yet seen can be
worked out afresh each time.
"""

import json
import sys

RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "CDHS" for rank in RANKS]


def beats(card, best, trump):
    """Whether `card`, played later, takes the trick from `best`."""
    if card[1] == best[1]:
        return RANKS.index(card[0]) > RANKS.index(best[0])
    return card[1] == trump


def unseen_cards(request):
    """The cards that the other players may hold: all but the own, the turned, the shown and the played ones."""
    seen = {request["turned"], *(request["cards"] or ()), *request["trick"]}
    for hand in request["shown"] or ():
        seen.update(hand or ())
    for trick in request["tricks"]:
        seen.update(trick["cards"])
    return [card for card in PACK if card not in seen]


def worth(card, unseen, size, rivals, trump):
    """Chance that a card takes a trick sometime in a hand of `size` cards, against that many rivals.

    A rival who holds the suit beats it with a higher card of the suit, a rival who is void in it with a trump.
    """
    suit = [other for other in unseen if other[1] == card[1]]
    higher = sum(beats(other, card, trump) for other in suit)
    if card[1] == trump:
        return (1 - higher / len(unseen)) ** rivals
    trumps = sum(other[1] == trump for other in unseen)
    others = len(unseen) - len(suit)
    void = (others / len(unseen)) ** size
    beaten = (1 - void) * higher / max(1, len(suit)) + void * trumps / max(1, others)
    return (1 - beaten) ** rivals


def choose_bid(request):
    unseen, trump, rivals = unseen_cards(request), request["trump"], len(request["bids"]) - 1
    if request["cards"] is None:
        # A blind hand: the own cards are some of the unseen ones, and the others' cards are known.
        shown = [card for hand in request["shown"] if hand for card in hand]
        best = [card for card in unseen if not any(beats(other, card, trump) for other in shown)]
        tricks = request["size"] * len(best) / len(unseen)
    else:
        tricks = sum(worth(card, unseen, request["size"], rivals, trump) for card in request["cards"])
    return min(request["legal"], key=lambda bid: abs(bid - tricks))


def choose_card(request):
    trump, trick, seat = request["trump"], request["trick"], request["seat"]
    unseen = unseen_cards(request)
    later = len(request["bids"]) - len(trick) - 1  # players who have yet to play to this trick
    best = trick[0] if trick else None
    for card in trick[1:]:
        if beats(card, best, trump):
            best = card

    def danger(card):
        """Share of the unseen cards that do not beat the card: how likely it is to win, now or later."""
        return 1 - sum(beats(other, card, trump) for other in unseen) / len(unseen)

    winners = [card for card in request["legal"] if best is None or beats(card, best, trump)]
    losers = [card for card in request["legal"] if card not in winners]
    if request["bids"][seat] > request["won"][seat]:
        if winners and later == 0:
            return min(winners, key=danger)
        if winners:
            strongest = max(winners, key=danger)
            return strongest
        return min(losers, key=danger)
    if losers:
        return max(losers, key=danger)
    if later == 0:
        return max(winners, key=danger)
    return min(winners, key=danger)


def reply(**answer):
    """One line in one write; flushed, or it would wait in the buffer while the runner waits for it."""
    print(json.dumps(answer), flush=True)


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
