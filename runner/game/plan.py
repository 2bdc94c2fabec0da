"""From rules to the plan of a game: the size and trump of every hand, which are blind, and what cannot be played."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from runner.game.cards import PACK
from runner.game.checks import LEAST_PLAYERS, MOST_PLAYERS, NO_TRUMP, Problem, largest_hand

if TYPE_CHECKING:
    from runner.game.rules import Rules

TURNED: Final = "turned"


def hand_sizes(rules: "Rules", players: int) -> tuple[int, ...]:
    """Return the size of every hand; `rules` and `players` must be free of `refusals`.

    `turn_twice` plays the hand at the turning point twice; `ones_per_player` puts as many one-card hands as there
    are players wherever the sequence has one.
    """
    if rules.sizes is not None:
        return rules.sizes
    up = list(range(1, _largest(rules, players) + 1))
    down = up[::-1]
    again = 0 if rules.turn_twice else 1
    sizes = {"up": up, "down": down, "down_up": down + up[again:], "up_down": up + down[again:]}[rules.sequence]
    ones = players if rules.ones_per_player else 1
    return tuple(size for size in sizes for _ in range(ones if size == 1 else 1))


def hand_trumps(rules: "Rules", players: int, sizes: tuple[int, ...]) -> tuple[str | None, ...]:
    """Return for every hand a suit, None (no trump, nothing is turned) or `TURNED`.

    A hand that `no_trump` or a deal of the whole pack leaves without trump keeps its place in the repeating list:
    hand h has entry h mod length, so the trumps of the other hands do not shift.
    """
    return tuple(_trump(rules, players, sizes, number) for number in range(len(sizes)))


def _trump(rules: "Rules", players: int, sizes: tuple[int, ...], number: int) -> str | None:
    if rules.no_trump == "last" and number == len(sizes) - 1:
        return None
    if rules.no_trump == "largest" and sizes[number] == max(sizes):
        return None
    if rules.trumps is not None:
        trump = rules.trumps[number % len(rules.trumps)]
        return None if trump == NO_TRUMP else trump
    return TURNED if sizes[number] * players < len(PACK) else None


def blind_hands(rules: "Rules", sizes: tuple[int, ...]) -> tuple[bool, ...]:
    """Return for every hand whether each seat sees the others' cards and not its own."""
    if rules.blind == "ones":
        return tuple(size == 1 for size in sizes)
    return tuple(rules.blind == "last" and number == len(sizes) - 1 for number in range(len(sizes)))


def _largest(rules: "Rules", players: int) -> int:
    return rules.max if isinstance(rules.max, int) else dict(rules.max)[players]


def contradictions(rules: "Rules") -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the keys and the sentence of whatever cannot be played by any number of players."""
    if rules.bids == "sealed" and rules.hook:
        yield ("hook", "bids"), "hook needs a last bidder, and sealed bids have none; set hook: false or bids: in_turn."
    if rules.bids == "sealed" and rules.change_bid:
        yield (
            ("change_bid", "bids"),
            "change_bid needs bids that others have seen; with sealed bids set change_bid: false, or bids: in_turn.",
        )
    if rules.trump == "list" and not rules.trumps:
        yield ("trump", "trumps"), "trump: list needs trumps, the list that the hands follow, such as [S, H, C, D, NT]."
    if rules.trump == "turned" and rules.trumps is not None:
        yield (
            ("trumps", "trump"),
            "trumps is a list for trump: list, but trump is turned; leave trumps out or set that.",
        )
    if rules.sizes is None and rules.turn_twice and rules.sequence in ("up", "down"):
        yield (
            ("turn_twice", "sequence"),
            f"turn_twice needs a turning point, and the sequence {rules.sequence} has none; use down_up or up_down.",
        )
    if rules.sizes is None and rules.turn_twice and rules.ones_per_player and rules.sequence == "down_up":
        yield (
            ("turn_twice", "ones_per_player", "sequence"),
            "turn_twice and ones_per_player both say how often the one-card hand of down_up is played; set only one.",
        )


def refusals(rules: "Rules", players: int) -> list[Problem]:
    """Return what cannot be played with `players`, key and sentence; `rules` must be free of `contradictions`."""
    if not LEAST_PLAYERS <= players <= MOST_PLAYERS:
        return [("players", f"Oh Hell is played by {LEAST_PLAYERS} to {MOST_PLAYERS}, not by {players}.")]
    return list(_size_refusals(rules, players)) or list(_hand_refusals(rules, players))


def _size_refusals(rules: "Rules", players: int) -> Iterator[Problem]:
    if isinstance(rules.first_dealer, int) and rules.first_dealer >= players:
        yield (
            "first_dealer",
            f"first_dealer is seat {rules.first_dealer}, but {players} players have seats 0 to {players - 1}.",
        )
    if rules.sizes is None and not isinstance(rules.max, int) and players not in dict(rules.max):
        yield "max", f"max does not say how many cards are dealt to each of {players} players; add {players} to it."
        return
    key, sizes = ("max", (_largest(rules, players),)) if rules.sizes is None else ("sizes", rules.sizes)
    if not sizes:
        yield key, f"{key} is empty: there is no hand to play."
        return
    if min(sizes) < 1:
        yield key, f"{key} has a hand of {min(sizes)} cards; a hand has at least one."
    if max(sizes) > largest_hand(players):
        yield (
            key,
            f"{max(sizes)} cards for each of {players} players are {max(sizes) * players}, and the pack has "
            f"{len(PACK)}; {key} can be at most {largest_hand(players)} with {players} players.",
        )


def _hand_refusals(rules: "Rules", players: int) -> Iterator[Problem]:
    sizes = hand_sizes(rules, players)
    if rules.blind == "last" and sizes[-1] != 1:
        yield (
            "blind",
            f"blind: last is for a last hand of one card, and the last hand has {sizes[-1]}: it never comes; "
            "end the game with one card (sequence up_down or down) or set blind: ones or never.",
        )
    if rules.blind == "ones" and 1 not in sizes:
        yield "blind", "blind: ones never comes: no hand has one card; add one to sizes or set blind: never."
    # True is 1, the size of the smallest hand: it always applies somewhere.
    if rules.hook > max(sizes):
        yield "hook", f"hook applies from {rules.hook} cards up, but the largest hand has {max(sizes)}: it never comes."
    if rules.must_trump and not any(hand_trumps(rules, players, sizes)):
        yield "must_trump", "must_trump never comes: every hand is played without trump; set must_trump: false."
