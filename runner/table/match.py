"""Plays a match: one table on one deal, in every rotation, with players in the seats and stand-ins for who faulted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from runner.entrant.session import StartFailure
from runner.game.cards import Card
from runner.game.deal import GameDeal, bot_seed, deal_game, stand_in_stream
from runner.game.series import HandResult, places
from runner.game.view import View
from runner.protocol.events import ONCE_A_HAND, Fact, GameEnded
from runner.protocol.faults import Fault
from runner.protocol.lines import Reply
from runner.protocol.messages import MAX_NOTE_BYTES_A_GAME, EventName, GameStart
from runner.record.log import encode_log
from runner.referee.game import Game, play_game
from runner.table.conditions import Conditions
from runner.table.results import FaultRecord, GameRecord, HandSummary, MatchPlan, MatchResult, Note, SeatResult

NO_DECISION = -1  # the number of a fault that came before the first request


class Player(Protocol):
    """Who answers for one seat in one game: a bot process, a script, a person."""

    wanted: frozenset[EventName]
    last_us: int  # the time charged for the last answer, in microseconds

    def begin_game(self, start: GameStart) -> None:
        """Take a seat; the player counts its games itself and may be told of this one with its first request."""

    def hear(self, fact: Fact) -> None:
        """Learn of a fact, if it is among the events that the player wants."""

    def ask(self, kind: str, legal: Sequence[int] | Sequence[Card], view: View, standing: int | None) -> Reply | Fault:
        """Answer a request, or give the fault of not having done so."""

    def check_quiet(self) -> Fault | None:
        """Give the fault of having said something unasked since the last answer; asked when the game is over."""

    def dismiss(self, fault: Fault) -> bytes:
        """Leave for good because of `fault`; return the end of what the player wrote to its standard error."""


# The player of an entrant in a rotation. No two rotations of a match may share one: it would know the cards.
FindPlayer = Callable[[str, int], Player | StartFailure]

# Told of each hand that ends and each fault, with the rotation, as they come: for who follows a match being played.
Follow = Callable[[int, "HandResult | FaultRecord"], None]


def play_match(
    plan: MatchPlan,
    conditions: Conditions,
    snapshots: Mapping[str, bytes],
    find: FindPlayer,
    follow: Follow | None = None,
) -> MatchResult:
    """Play the k games of a match; whatever the players do, the result is data, and only our own faults raise."""
    deal = deal_game(conditions.rules, conditions.seed, plan.deal)
    absent = set(plan.stand_ins)
    games: list[GameRecord] = []
    faults: list[FaultRecord] = []
    for rotation in range(len(plan.entrants)):
        game = _GameAtTable(plan, conditions, deal, rotation, absent, faults, follow)
        games.append(game.play(find))
    seats = _seat_results(plan, snapshots, games, absent)
    return MatchResult(plan.key, plan.deal, seats, tuple(games), tuple(faults))


def entrants_by_seat(entrants: tuple[str, ...], rotation: int) -> tuple[str, ...]:
    """Return who sits where: entrants[i] at seat (i + rotation) mod k."""
    return tuple(entrants[(seat - rotation) % len(entrants)] for seat in range(len(entrants)))


@dataclass(slots=True)
class _GameAtTable:
    """One rotation being played. `absent` entrants and `faults` are the match's and grow with each fault."""

    plan: MatchPlan
    conditions: Conditions
    deal: GameDeal
    rotation: int
    absent: set[str]
    faults: list[FaultRecord]
    follow: Follow | None = None
    times_us: list[int] = field(default_factory=list)
    hands: list[HandSummary] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    note_bytes: dict[int, int] = field(default_factory=dict)
    notes_dropped: int = 0

    def play(self, find: FindPlayer) -> GameRecord:
        plan, conditions, rotation = self.plan, self.conditions, self.rotation
        seated = entrants_by_seat(plan.entrants, rotation)
        players = self._seat_players(seated, find)
        acts = bytearray()
        game = play_game(
            conditions.rules,
            self.deal,
            lambda seat: stand_in_stream(conditions.seed, plan.deal, rotation, seat),
            acts=acts,
            absent=frozenset(seat for seat, player in enumerate(players) if player is None),
            observe=self._observer(players),
            every_act=any(player is not None and player.wanted - ONCE_A_HAND for player in players),
        )
        ended = self._drive(game, seated, players)
        self._check_quiet(seated, players)
        return GameRecord(
            rotation=rotation,
            decisions=len(self.times_us),
            totals=ended.totals,
            hands=tuple(self.hands),
            log=encode_log(acts, self.times_us),
            notes=tuple(self.notes),
            notes_dropped=self.notes_dropped,
        )

    def _seat_players(self, seated: tuple[str, ...], find: FindPlayer) -> list[Player | None]:
        """Return the players by seat, None for a stand-in; who cannot be started has faulted."""
        conditions, plan = self.conditions, self.plan
        names = [conditions.names[entrant] for entrant in seated] if conditions.names is not None else None
        players: list[Player | None] = []
        for seat, entrant in enumerate(seated):
            player = find(entrant, self.rotation) if entrant not in self.absent else None
            if isinstance(player, StartFailure):
                self._blame(entrant, seat, NO_DECISION, player.fault, player.stderr)
                player = None
            if player is not None:
                seed = bot_seed(conditions.seed, plan.deal, self.rotation, seat)
                player.begin_game(conditions.game_start(seat, seed, names))
            players.append(player)
        return players

    def _observer(self, players: list[Player | None]) -> Callable[[Fact], None]:
        """Return what hears of the game: it keeps the hands, and passes on to whoever wants events."""
        listeners = [player for player in players if player is not None and player.wanted]

        def observe(fact: Fact) -> None:
            if type(fact) is HandResult:
                self.hands.append(HandSummary(fact.size, fact.trump, fact.bids, fact.won))
                if self.follow is not None:
                    self.follow(self.rotation, fact)
            for player in listeners:
                player.hear(fact)

        return observe

    def _drive(self, game: Game, seated: tuple[str, ...], players: list[Player | None]) -> GameEnded:
        """Carry requests to the players and their answers back until the game is over. The hot path."""
        times_us = self.times_us
        try:
            request = next(game)
            while True:
                seat, kind, legal, view, standing = request
                player = players[seat]
                assert player is not None, "the referee asks no seat that is absent"
                answer = player.ask(kind, legal, view, standing)
                if isinstance(answer, Fault):
                    self._blame(seated[seat], seat, len(times_us), answer, player.dismiss(answer))
                elif answer.note:
                    self._keep_note(seat, answer)
                times_us.append(player.last_us)
                request = game.send(answer)
        except StopIteration as stop:
            ended: GameEnded = stop.value
            return ended

    def _check_quiet(self, seated: tuple[str, ...], players: list[Player | None]) -> None:
        """Blame whoever has written more than its answers: in the next game nobody would know whose fault it was."""
        for seat, (entrant, player) in enumerate(zip(seated, players, strict=True)):
            if player is not None and entrant not in self.absent and (fault := player.check_quiet()) is not None:
                self._blame(entrant, seat, len(self.times_us), fault, player.dismiss(fault))

    def _blame(self, entrant: str, seat: int, decision: int, fault: Fault, stderr: bytes) -> None:
        self.absent.add(entrant)
        record = FaultRecord(entrant, seat, self.rotation, decision, fault.kind, fault.detail, fault.raw, stderr)
        self.faults.append(record)
        if self.follow is not None:
            self.follow(self.rotation, record)

    def _keep_note(self, seat: int, answer: Reply) -> None:
        used = self.note_bytes.get(seat, 0) + len(answer.note.encode())
        self.notes_dropped += answer.note_cut
        if used > MAX_NOTE_BYTES_A_GAME:
            self.notes_dropped += len(answer.note)
            return
        self.note_bytes[seat] = used
        self.notes.append(Note(len(self.times_us), answer.note))


def _seat_results(
    plan: MatchPlan,
    snapshots: Mapping[str, bytes],
    games: list[GameRecord],
    absent: set[str],
) -> tuple[SeatResult, ...]:
    """Rank the entrants by their sums; who had a stand-in comes last and gets no more than the lowest who had none."""
    players = len(plan.entrants)
    sums = [sum(game.totals[(index + game.rotation) % players] for game in games) for index in range(players)]
    honest = [total for entrant, total in zip(plan.entrants, sums, strict=True) if entrant not in absent]
    totals = [
        min(total, min(honest, default=total)) if entrant in absent else total
        for entrant, total in zip(plan.entrants, sums, strict=True)
    ]
    ranks = iter(places(honest))
    return tuple(
        SeatResult(
            entrant=entrant,
            snapshot=snapshots[entrant],
            total=total,
            rank=len(honest) + 1 if entrant in absent else next(ranks),
            stand_in=entrant in absent,
        )
        for entrant, total in zip(plan.entrants, totals, strict=True)
    )
