"""Points for a hand: three forms of the score and the option for a bid of zero."""

from runner.game.rules import Rules


def score(rules: Rules, size: int, bid: int, won: int) -> int:
    """Return the points for `won` tricks on a bid of `bid` in a hand of `size` cards.

    A bid made scores 10 and the bid; with `zero: size` a bid of zero that is made scores 5 and the hand's size.
    A miss scores 0, 1 for each trick won, or -1 for each trick too many or too few (`miss`), whatever was bid.
    """
    if bid == won:
        return 5 + size if bid == 0 and rules.zero == "size" else 10 + bid
    if rules.miss == "zero":
        return 0
    return won if rules.miss == "tricks" else -abs(bid - won)
