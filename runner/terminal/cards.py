"""Cards and suits as a person sees them."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from runner.game.cards import Card

SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_STYLES = {"C": "green", "D": "cyan", "H": "red", "S": "bold"}  # four colours, so that a suit is seen at a glance


class Face:
    """How cards look: with signs (7♥), or as on the wire (7H) where the output cannot carry them."""

    def __init__(self, console: Console) -> None:
        try:
            "♣♦♥♠".encode(console.encoding)
        except (UnicodeEncodeError, LookupError):
            self._signs = {suit: suit for suit in _SIGNS}
        else:
            self._signs = _SIGNS

    def card(self, card: Card) -> Text:
        """Return one card, two columns wide."""
        return Text(card[0] + self._signs[card[1]], style=_STYLES[card[1]])

    def cards(self, cards: Iterable[Card]) -> Text:
        """Return cards with a space between them."""
        return Text(" ").join(map(self.card, cards))

    def suit(self, suit: str) -> Text:
        """Return the sign of a suit."""
        return Text(self._signs[suit], style=_STYLES[suit])
