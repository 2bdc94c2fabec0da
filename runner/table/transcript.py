"""A stored game as a person or a program reads it: what was dealt, every act with its time, note and fault."""

from collections.abc import Mapping
from dataclasses import dataclass

from runner.game.cards import Card
from runner.game.deal import GameDeal, deal_game
from runner.game.hand import BidMade, CardPlayed
from runner.game.series import HandResult
from runner.protocol.events import BidsRevealed, Fact, GameEnded
from runner.protocol.faults import Fault
from runner.protocol.lines import Reply
from runner.record.log import decode_log
from runner.referee.game import Request
from runner.table.conditions import Conditions
from runner.table.match import NO_DECISION, entrants_by_seat
from runner.table.replay import ReplayError, replay_stored, seats_absent
from runner.table.results import FaultRecord, MatchResult


@dataclass(frozen=True, slots=True)
class Decision:
    """A request and its answer: `bid` or `card`, or a `fault` in their place. `time_us` is the time charged.

    `decision` counts from 0 within the game. `final` is False for a bid that the bot may still change.
    """

    decision: int
    seat: int
    time_us: int
    bid: int | None = None
    card: Card | None = None
    final: bool = True
    note: str = ""
    fault: FaultRecord | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """What a seat did: its last word, whoever gave it. `decisions` is empty where it was not asked.

    `stand_in` says that the stand-in acted in the bot's place.
    """

    seat: int
    value: int | Card
    decisions: tuple[Decision, ...] = ()
    stand_in: bool = False

    @property
    def time_us(self) -> int | None:
        """Return the time charged for it, None if the bot was not asked."""
        return sum(each.time_us for each in self.decisions) if self.decisions else None


@dataclass(frozen=True, slots=True)
class HandTranscript:
    """One hand: `cards` by seat as dealt, `bids` and each of `plays` (a trick) in the order in which they were made.

    With sealed bids `bids` run from the dealer's left. `result` has bids, tricks, points and totals by seat.
    """

    dealer: int
    turned: Card | None
    blind: bool
    cards: tuple[tuple[Card, ...], ...]
    bids: tuple[Act, ...]
    plays: tuple[tuple[Act, ...], ...]
    result: HandResult


@dataclass(frozen=True, slots=True)
class Transcript:
    """One game: entrants by seat, hands, totals and ranks by seat. `absent` seats had the stand-in from the start.

    `earlier_faults` came in rotations before this one, `start_faults` before the first request; `end_faults` were seen
    when the game was over. Who is absent and in neither of the first two was disqualified before the match.
    `events` has decisions and facts in the order in which they came.
    """

    rotation: int
    seated: tuple[str, ...]
    absent: frozenset[int]
    earlier_faults: tuple[FaultRecord, ...]
    start_faults: tuple[FaultRecord, ...]
    end_faults: tuple[FaultRecord, ...]
    hands: tuple[HandTranscript, ...]
    ended: GameEnded
    notes_dropped: int
    events: tuple[Fact | Decision, ...]


def transcribe(result: MatchResult, rotation: int, conditions: Conditions) -> Transcript:
    """Return the game of this rotation, played again from its record.

    Raises `ReplayError` if the record does not follow from the deal by the rules, `RecordError` if it is damaged.
    """
    deal = deal_game(conditions.rules, conditions.seed, result.deal)
    game = next(each for each in result.games if each.rotation == rotation)
    faults = [each for each in result.faults if each.rotation == rotation]
    absent = seats_absent(result, rotation)
    log = decode_log(game.log)
    writer = _Writer(
        conditions,
        deal,
        log.times_us,
        {each.decision: each.text for each in game.notes},
        {each.decision: each for each in faults},
        absent,
    )
    ended = replay_stored(result, rotation, conditions, deal, observe=writer.observe, on_decision=writer.decide)
    return Transcript(
        rotation=rotation,
        seated=entrants_by_seat(tuple(seat.entrant for seat in result.seats), rotation),
        absent=absent,
        earlier_faults=tuple(each for each in result.faults if each.rotation < rotation),
        start_faults=tuple(each for each in faults if each.decision == NO_DECISION),
        end_faults=tuple(each for each in faults if each.decision >= game.decisions),
        hands=tuple(writer.hands),
        ended=ended,
        notes_dropped=game.notes_dropped,
        events=tuple(writer.events),
    )


class _Writer:
    """Listens to a game that is played again and writes it down hand by hand."""

    def __init__(
        self,
        conditions: Conditions,
        deal: GameDeal,
        times_us: tuple[int, ...],
        notes: Mapping[int, str],
        faults: Mapping[int, FaultRecord],
        absent: frozenset[int],
    ) -> None:
        self.hands: list[HandTranscript] = []
        self.events: list[Fact | Decision] = []
        self._rules = conditions.rules
        self._deal = deal
        self._times_us = times_us
        self._notes = notes
        self._faults = faults
        self._out = set(absent)
        self._asked: dict[int, list[Decision]] = {}  # by seat: decisions whose act has not been observed yet
        self._bids: list[Act] = []
        self._plays: list[list[Act]] = [[]]

    def decide(self, number: int, request: Request, answer: Reply | Fault) -> None:
        """Write down a decision."""
        seat = request.seat
        if number >= len(self._times_us):
            raise ReplayError(f"the record has no time for decision {number}")
        if isinstance(answer, Fault):
            decision = Decision(number, seat, self._times_us[number], fault=self._faults[number])
            self._out.add(seat)
        else:
            bid, card = (answer.value, None) if request.kind == "bid" else (None, answer.value)
            note = self._notes.get(number, "")
            decision = Decision(number, seat, self._times_us[number], bid, card, answer.final, note)
        self._asked.setdefault(seat, []).append(decision)
        self.events.append(decision)

    def observe(self, fact: Fact) -> None:
        """Write down what came of it."""
        self.events.append(fact)
        match fact:
            case BidMade(seat, bid):
                self._bids.append(self._act(seat, bid))
            case BidsRevealed(bids):
                dealer = self._dealer(len(self.hands))
                for place in range(1, len(bids) + 1):
                    seat = (dealer + place) % len(bids)
                    self._bids.append(self._act(seat, bids[seat]))
            case CardPlayed(seat, card, trick):
                self._plays[-1].append(self._act(seat, card))
                if trick is not None:
                    self._plays.append([])
            case HandResult():
                self._finish(fact)

    def _act(self, seat: int, value: int | Card) -> Act:
        return Act(seat, value, tuple(self._asked.pop(seat, ())), seat in self._out)

    def _dealer(self, number: int) -> int:
        return (self._deal.first_dealer + number) % self._rules.players

    def _finish(self, result: HandResult) -> None:
        number = result.number
        dealt = self._deal.hands[number]
        plays = tuple(tuple(acts) for acts in self._plays[:-1])
        self.hands.append(
            HandTranscript(
                dealer=self._dealer(number),
                turned=dealt.turned,
                blind=self._rules.blind[number],
                cards=dealt.cards,
                bids=tuple(self._bids),
                plays=plays,
                result=result,
            )
        )
        self._bids, self._plays = [], [[]]
