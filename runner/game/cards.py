"""The pack: 52 cards, four suits, ace high, two low; the suits themselves have no rank."""

from typing import Final, NewType

Card = NewType("Card", str)
"""Rank, then suit: "AS", "TD" (the ten of diamonds), "2C"."""

SUITS: Final = "CDHS"
RANKS: Final = "23456789TJQKA"

PACK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
"""Every card at its number: 13 * suit + rank."""

NUMBER: Final[dict[Card, int]] = {card: number for number, card in enumerate(PACK)}
"""The number of a card; within a suit the higher number is the higher card."""

RANK: Final[dict[Card, int]] = {card: number % len(RANKS) for number, card in enumerate(PACK)}
"""The rank of a card alone, 0 (two) to 12 (ace)."""
