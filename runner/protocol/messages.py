"""Every message of protocol version 1, in the order of its keys on the wire; protocol.md tells what each means.

A request is built from a seat's view (`runner.game.view`) and from nothing else, so a bot is never told
what its seat may not know. Within version 1 fields are only ever added at the end.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from runner.game.hand import Trick
from runner.protocol.faults import FaultKind

PROTOCOL_VERSION = 1
GAME_NAME = "oh-hell"
MAX_NOTE_CHARACTERS = 200  # of one reply's note are kept
MAX_NOTE_BYTES_A_GAME = 16_384  # of all notes of a seat in a game are kept, so that notes cannot fill a disk

T = TypeVar("T")

CardName = Annotated[str, Meta(pattern="^[2-9TJQKA][CDHS]$")]
Suit = Annotated[str, Meta(pattern="^[CDHS]$")]
SeatNumber = Annotated[int, Meta(ge=0, le=6)]
Bid = Annotated[int, Meta(ge=0, le=17)]
HandSize = Annotated[int, Meta(ge=1, le=17)]
GameCount = Annotated[int, Meta(ge=1)]
HandNumber = Annotated[int, Meta(ge=0)]
BySeat = Annotated[Sequence[T], Meta(min_length=3, max_length=7)]
# Ids stay below 2^53, where a language whose only number is a double still counts exactly.
RequestId = Annotated[int, Meta(ge=1, lt=2**53)]
EventName = Literal["hand_end", "game_end", "hand_start", "bid", "bids", "play", "trick"]


class Hello(Struct, frozen=True, tag="hello", tag_field="type"):
    """The first line to a bot: which protocol and game, and the runner's version."""

    protocol: int
    game: str
    runner: str


class Ready(Struct, frozen=True, tag="ready", tag_field="type"):
    """The bot's answer to `hello`. It names the events it wants; any it does not name are not sent."""

    protocol: Literal[1]
    events: list[EventName] = []


class WireRules(Struct, frozen=True):
    """The rules of the game spelled out, as far as a bot must know them; hand sizes are in `sizes` of `game_start`."""

    bids: Literal["in_turn", "sealed"]
    hook: bool | int
    change_bid: bool
    trump: Literal["turned", "list"]
    no_trump: Literal["none", "last", "largest"]
    trumps: list[Literal["C", "D", "H", "S", "NT"]] | None
    must_trump: bool
    blind: Literal["never", "last", "ones"]
    miss: Literal["zero", "tricks", "difference"]
    zero: Literal["ten", "size"]


class WireClock(Struct, frozen=True):
    """The time a bot has, in milliseconds: start-up, a decision, a decision's wall cap, a game's bank (null: none)."""

    start_ms: int
    move_ms: int
    move_wall_ms: int
    bank_ms: int | None


class GameStart(Struct, frozen=True, tag="game_start", tag_field="type"):
    """A game begins. `game` counts from 1 in this process; `sizes[h]` is the size of hand h."""

    game: GameCount
    seat: SeatNumber
    players: Annotated[int, Meta(ge=3, le=7)]
    sizes: Sequence[HandSize]
    rules: WireRules
    seed: Annotated[int, Meta(ge=0, lt=2**31)]
    clock: WireClock
    names: BySeat[str] | None


class _Request(Struct):
    """All that the seat may know of the hand. Arrays are by seat, but for tricks, which run from their leader."""

    id: RequestId
    legal: Sequence[int | str]
    game: GameCount
    hand: HandNumber
    size: HandSize
    seat: SeatNumber
    dealer: SeatNumber
    turned: CardName | None
    trump: Suit | None
    cards: Sequence[CardName] | None
    shown: BySeat[Sequence[CardName] | None] | None
    bids: BySeat[Bid | None]
    won: BySeat[Bid]
    leader: SeatNumber
    trick: Sequence[CardName]
    tricks: Sequence[Trick]
    totals: BySeat[int]
    standing: Bid | UnsetType = UNSET
    bank_ms: int | UnsetType = UNSET


class RequestBid(_Request, tag="request_bid", tag_field="type"):
    """Asks for a bid; `standing` is there while an earlier bid of this seat stands and may be changed."""

    legal: Annotated[Sequence[Bid], Meta(min_length=2)]


class RequestPlay(_Request, tag="request_play", tag_field="type"):
    """Asks for a card."""

    legal: Annotated[Sequence[CardName], Meta(min_length=2)]


class BidReply(Struct, frozen=True):
    """The answer to `request_bid`; with change of bid on, `final: false` has the bot asked again at once."""

    id: RequestId
    bid: Bid
    final: bool = True
    note: str = ""


class PlayReply(Struct, frozen=True):
    """The answer to `request_play`."""

    id: RequestId
    card: CardName
    note: str = ""


class HandStart(Struct, frozen=True, tag="hand_start", tag_field="type"):
    """Event: a hand was dealt; `cards` and `shown` as in a request."""

    game: GameCount
    hand: HandNumber
    size: HandSize
    dealer: SeatNumber
    turned: CardName | None
    trump: Suit | None
    cards: Sequence[CardName] | None
    shown: BySeat[Sequence[CardName] | None] | None


class BidEvent(Struct, frozen=True, tag="bid", tag_field="type"):
    """Event: a bid was made in turn and can no longer change."""

    game: GameCount
    seat: SeatNumber
    bid: Bid


class BidsEvent(Struct, frozen=True, tag="bids", tag_field="type"):
    """Event: sealed bids were revealed together."""

    game: GameCount
    bids: BySeat[Bid]


class PlayEvent(Struct, frozen=True, tag="play", tag_field="type"):
    """Event: a card was played."""

    game: GameCount
    seat: SeatNumber
    card: CardName


class TrickEvent(Struct, frozen=True, tag="trick", tag_field="type"):
    """Event: a trick ended."""

    game: GameCount
    winner: SeatNumber


class HandEnd(Struct, frozen=True, tag="hand_end", tag_field="type"):
    """Event: a hand ended, with all its tricks."""

    game: GameCount
    hand: HandNumber
    bids: BySeat[Bid]
    won: BySeat[Bid]
    points: BySeat[int]
    totals: BySeat[int]
    tricks: Sequence[Trick]


class GameEnd(Struct, frozen=True, tag="game_end", tag_field="type"):
    """Event: a game ended; equal totals share the better rank (1, 1, 3)."""

    game: GameCount
    totals: BySeat[int]
    ranks: BySeat[Annotated[int, Meta(ge=1, le=7)]]


class FaultNotice(Struct, frozen=True, tag="fault", tag_field="type"):
    """The last line to a bot that faulted, as a courtesy; `id` is the request's, null where there was none."""

    id: RequestId | None
    kind: FaultKind
    detail: str


class Quit(Struct, frozen=True, tag="quit", tag_field="type"):
    """Nothing more will come; end of file follows, which is the signal."""


Message = (
    Hello
    | GameStart
    | RequestBid
    | RequestPlay
    | HandStart
    | BidEvent
    | BidsEvent
    | PlayEvent
    | TrickEvent
    | HandEnd
    | GameEnd
    | FaultNotice
    | Quit
)
TO_BOT: tuple[type[Struct], ...] = get_args(Message)
FROM_BOT: tuple[type[Struct], ...] = (Ready, BidReply, PlayReply)
EVENT_NAMES: tuple[EventName, ...] = get_args(EventName)
