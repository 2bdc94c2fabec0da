"""The rules in words: how the game goes, and what each value of a preset means."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from runner.game.presets import PRESETS, Preset
from runner.game.rules import Rules, RulesError
from runner.terminal.cards import SUIT_NAMES
from runner.terminal.layout import indented

PLAYERS = range(3, 8)
SILENT = "our choice, source silent"
CHANGED = "set here"

GAME = """\
3 to 7 players, 52 cards, ace high. A game is a series of hands, of a size that
changes from hand to hand. Each player is dealt so many cards, and the next card
is turned up: its suit is trump. From the dealer's left everyone bids how many
tricks they will win, 0 included. The dealer's left leads; a suit led must be
followed, and who has none of it plays any card. The highest trump wins the
trick, without trumps the highest card of the suit led. Winning exactly what was
bid scores 10 and the bid. The highest total after the last hand wins; equal
totals share the place.

With the hook, the last bidder may not make the bids add up to the number of
tricks, so that somebody must fail.
"""

KEYS = """\
sequence         down_up, up, down or up_down: the sizes of the hands
max              the largest hand: a number, or {players: number, ...}
turn_twice       true: the hand at the turning point is played twice
ones_per_player  true: as many one-card hands as there are players
sizes            [5, 4, 3, ...]: every hand, in place of the four keys before
first_dealer     draw, or a seat counted from 0
bids             in_turn, or sealed: all at once
hook             true, false, or the hand size from which it applies
change_bid       true: a bid may be changed until the next player has bid
trump            turned, or list
trumps           [S, H, C, D, NT]: the list that the hands follow, over and over
no_trump         none, last or largest: hands without trump
must_trump       true: who cannot follow suit must play a trump
blind            never, last or ones: hands in which each sees all but its own
miss             zero, tricks or difference: points for a bid that is missed
zero             ten, or size: 5 and the hand's size for a zero bid made
"""


def preset_lines() -> Iterator[Text]:
    """Yield the list of presets: name, aliases, for how many players, description."""
    for preset in PRESETS.values():
        names = ", ".join((preset.name, *preset.aliases))
        line = Text(names, style="bold")
        line.append(f"  ({_span(playable(preset.rules))} players)", style="not bold dim")
        yield line
        yield from map(Text, indented(preset.description, "  "))


def playable(rules: Rules) -> dict[int, tuple[int, ...]]:
    """Return the hand sizes by number of players, for those numbers that can play by `rules`."""
    sizes = {}
    for players in PLAYERS:
        try:
            sizes[players] = rules.for_players(players).sizes
        except RulesError:
            continue
    return sizes


def _span(numbers: Mapping[int, object]) -> str:
    every = sorted(numbers)
    if not every:
        return "no"
    if every == list(range(every[0], every[-1] + 1)) and len(every) > 1:
        return f"{every[0]} to {every[-1]}"
    return ", ".join(map(str, every))


def rules_lines(rules: Rules, preset: Preset, changed: Sequence[str]) -> Iterator[Text]:
    """Yield every value of `rules` in words; `changed` are the keys that do not come from `preset`."""
    yield Text(preset.name, style="bold")
    yield from map(Text, indented(preset.description, "  "))
    if preset.aliases:
        yield Text(f"  Also called {', '.join(preset.aliases)}.")
    yield from map(Text, indented(f"Source: {preset.source}", "  "))
    yield Text()
    for key, value in rules.to_mapping().items():
        origin = CHANGED if key in changed else "" if key in preset.stated else SILENT
        shown = written(value)
        yield Text.assemble((f"{key}: {shown}", "bold"), (f"  [{origin}]" if origin else "", "dim"))
        yield from map(Text, indented(in_words(key, value), "    "))
    yield Text()
    yield Text("Hands", style="bold")
    sizes = playable(rules)
    for players in PLAYERS:
        if players in sizes:
            hands = sizes[players]
            shown = f"{players} players: {len(hands):>2} {'hand ' if len(hands) == 1 else 'hands'}  {_sizes(hands)}"
        else:
            shown = f"{players} players: {_refusal(rules, players)}"
        for line in indented(shown, "  ", " " * 11):
            yield Text(line, style="" if players in sizes else "dim")


def written(value: object) -> str:
    """Return a value as a tournament file has it."""
    match value:
        case bool():
            return str(value).lower()
        case None:
            return "null"
        case list():
            return f"[{', '.join(map(written, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{key}: {written(each)}' for key, each in value.items())}}}"
        case _:
            return str(value)


def in_words(key: str, value: Any) -> str:
    """Return what `value` of the rule `key` means to the players."""
    meaning = _MEANINGS[key]
    return meaning(value) if callable(meaning) else meaning[value]


def _refusal(rules: Rules, players: int) -> str:
    try:
        rules.for_players(players)
    except RulesError as error:
        return str(error)
    raise AssertionError("asked only of what is refused")


def _sizes(sizes: Sequence[int]) -> str:
    """Return hand sizes with steps by one left out: 10 … 1 … 10, but 5 4 4 1."""
    shown = str(sizes[0])
    for index in range(1, len(sizes)):
        step = sizes[index] - sizes[index - 1]
        before = sizes[index - 1] - sizes[index - 2] if index > 1 else 0
        after = sizes[index + 1] - sizes[index] if index + 1 < len(sizes) else 0
        if abs(step) == 1 and step == after:
            continue
        shown += f" … {sizes[index]}" if abs(step) == 1 and step == before else f" {sizes[index]}"
    return shown


def _max(value: Any) -> str:
    if isinstance(value, int):
        return f"The largest hand has {value} cards, whatever the number of players."
    return (
        f"The largest hand has {', '.join(f'{cards} cards for {players} players' for players, cards in value.items())}."
    )


def _trumps(value: Any) -> str:
    if value is None:
        return "There is no list of trumps."
    return f"Trump in turn: {', '.join(SUIT_NAMES.get(each, 'no trump') for each in value)}."


_Meaning = Mapping[Any, str] | Callable[[Any], str]
_MEANINGS: Mapping[str, _Meaning] = {
    "sequence": {
        "down_up": "From the largest hand down to one card and up again.",
        "up": "From one card up to the largest hand.",
        "down": "From the largest hand down to one card.",
        "up_down": "From one card up to the largest hand and down again.",
    },
    "max": _max,
    "turn_twice": {
        True: "The hand at the turning point is played twice.",
        False: "The hand at the turning point is played once.",
    },
    "ones_per_player": {
        True: "The hand of one card is played once for every player.",
        False: "The hand of one card comes once where the sequence has it.",
    },
    "sizes": lambda value: f"The hands have {', '.join(map(str, value))} cards.",
    "first_dealer": lambda value: (
        "Each player draws a card, and the highest deals first; those tied draw again."
        if value == "draw"
        else f"Seat {value} deals first."
    ),
    "bids": {
        "in_turn": "Bids are made aloud, from the dealer's left on; the dealer bids last.",
        "sealed": "All bid at once, and the bids are revealed together.",
    },
    "hook": lambda value: (
        ("The last bidder may not make the bids add up to the number of tricks" if value else "Any bid is allowed")
        + (f", in hands of {value} cards and more." if type(value) is int else ".")
    ),
    "change_bid": {
        True: "A bid may be changed until the next player has bid; the dealer's is final.",
        False: "A bid is final.",
    },
    "trump": {"turned": "The suit of the card turned up is trump.", "list": "Trumps follow a list; nothing is turned."},
    "trumps": _trumps,
    "no_trump": {
        "none": "No hand is without trump but for one that deals out the whole pack, or as listed.",
        "last": "The last hand is without trump; nothing is turned in it.",
        "largest": "Hands of the largest size are without trump; nothing is turned in them.",
    },
    "must_trump": {
        True: "Who cannot follow suit must play a trump, if there is one in the hand.",
        False: "Who cannot follow suit plays any card.",
    },
    "blind": {
        "never": "All hold their cards as usual.",
        "last": "In the last hand, of one card, each sees the others' cards and not its own.",
        "ones": "In every one-card hand each sees the others' cards and not its own.",
    },
    "miss": {
        "zero": "A bid that is made scores 10 and the bid; one that is missed scores nothing.",
        "tricks": "A bid that is made scores 10 and the tricks; one that is missed 1 for each trick won.",
        "difference": "A bid that is made scores 10 and the tricks; one that is missed loses 1 for each trick off.",
    },
    "zero": {
        "ten": "A bid of zero that is made scores 10 like any other.",
        "size": "A bid of zero that is made scores 5 and the size of the hand.",
    },
}
