"""A match: every rotation of a table on one deal, whatever its players do."""

import pytest

from runner.entrant.session import StartFailure
from runner.game.deal import bot_seed, deal_game, stand_in_stream
from runner.game.presets import resolve_rules
from runner.game.series import HandResult
from runner.protocol.events import GameEnded
from runner.protocol.faults import Fault
from runner.protocol.lines import Reply
from runner.protocol.messages import WireClock
from runner.record.log import decode_log
from runner.table.conditions import Conditions
from runner.table.match import NO_DECISION, entrants_by_seat, play_match
from runner.table.results import FaultRecord, MatchPlan, Note
from tests.table.players import AtRandom, FirstLegal, Scripted

SEED = bytes(range(32))
CLOCK = WireClock(5_000, 1_000, 5_500, None)
NAMES = ("ann", "bob", "cyd", "dan")
FAULT = Fault("illegal", "made up", b"raw")


class Table:
    """A match with players of one's own; `make` gives the player, or start failure, of an entrant in a rotation."""

    def __init__(self, make=lambda entrant, rotation: FirstLegal(), stand_ins=(), names=None, **rules):
        self.players = {}
        self.make = make
        self.rules = resolve_rules({"sizes": [3, 2]} | rules).for_players(len(NAMES))
        self.conditions = Conditions(self.rules, SEED, CLOCK, names)
        self.plan = MatchPlan(b"k" * 32, "T.0", NAMES, frozenset(stand_ins))
        self.result = play_match(self.plan, self.conditions, {name: name.encode() for name in NAMES}, self.find)

    def find(self, entrant, rotation):
        assert (entrant, rotation) not in self.players
        player = self.players[entrant, rotation] = self.make(entrant, rotation)
        return player

    def sums(self):
        """The points of each entrant over the games, nothing capped."""
        return [sum(game.totals[(i + game.rotation) % 4] for game in self.result.games) for i in range(4)]


def at_random(entrant, rotation):
    return AtRandom(f"{entrant}{rotation}")


class FaultsAtSecond(AtRandom):
    """Plays at random, but its second answer is a fault."""

    def answer(self, kind, legal, view, standing):
        return FAULT if len(self.asked) == 2 else super().answer(kind, legal, view, standing)


def faulting(who, in_rotation):
    """Players at random, of whom `who` faults in one rotation."""

    def make(entrant, rotation):
        return FaultsAtSecond(0) if (entrant, rotation) == (who, in_rotation) else at_random(entrant, rotation)

    return make


def test_rotations_seat_everybody_once_everywhere():
    """Entrant i sits at seat (i + r) mod k in rotation r, with a player of its own each time."""
    assert entrants_by_seat(NAMES, 1) == ("dan", "ann", "bob", "cyd")
    table = Table()
    assert len(table.players) == 16
    for (entrant, rotation), player in table.players.items():
        (start,) = player.starts
        assert start.seat == (NAMES.index(entrant) + rotation) % 4
        assert start.game == 0
    assert [game.rotation for game in table.result.games] == [0, 1, 2, 3]


def test_all_rotations_are_played_on_the_same_cards():
    """Players alike at every seat play the same game in every rotation, and share the first place."""
    table = Table()
    first = table.result.games[0]
    assert all(game.hands == first.hands and game.totals == first.totals for game in table.result.games)
    assert {seat.total for seat in table.result.seats} == {sum(first.totals)}
    assert [seat.rank for seat in table.result.seats] == [1, 1, 1, 1]


def test_what_a_player_is_told_of_the_game():
    """Rules, sizes and clock as agreed, a seed of its own, names only where they are shown."""
    table = Table(names={name: name.title() for name in NAMES})
    (start,) = table.players["bob", 2].starts
    assert start.names == ["Cyd", "Dan", "Ann", "Bob"]
    assert start.seed == bot_seed(SEED, "T.0", 2, 3)
    assert (start.players, start.sizes, start.clock) == (4, (3, 2), CLOCK)
    assert start.rules.hook is True
    assert Table().players["bob", 2].starts[0].names is None


def test_totals_are_the_sums_over_the_games():
    """Each entrant has the points of the seats it sat in; ranks follow, equal totals sharing the better one."""
    table = Table(at_random)
    totals = [seat.total for seat in table.result.seats]
    assert totals == table.sums()
    assert [seat.rank for seat in table.result.seats] == [1 + sum(t > total for t in totals) for total in totals]
    assert [seat.entrant for seat in table.result.seats] == list(NAMES)
    assert [seat.snapshot for seat in table.result.seats] == [b"ann", b"bob", b"cyd", b"dan"]
    assert not any(seat.stand_in for seat in table.result.seats)
    assert table.result.faults == ()


def test_a_game_is_recorded():
    """Hands, decisions, times and acts are those of the game."""
    table = Table(at_random, change_bid=False)
    for game in table.result.games:
        log = decode_log(game.log)
        players = [table.players[name, game.rotation] for name in NAMES]
        assert game.decisions == len(log.times_us) == sum(len(player.asked) for player in players)
        assert [hand.size for hand in game.hands] == [3, 2]
        assert len(log.acts) == 2 * 4 + 4 * (3 + 2)
        deal = deal_game(table.rules, SEED, "T.0")
        assert [hand.trump for hand in game.hands] == [hand.trump for hand in deal.hands]
        assert all(sum(hand.won) == hand.size for hand in game.hands)
    assert table.result.decisions == sum(game.decisions for game in table.result.games)


def test_a_fault_ends_the_match_for_its_entrant():
    """It is dismissed at once, blamed with its decision, never seated again, and comes last with a capped total."""
    table = Table(faulting("bob", in_rotation=1))
    assert [(rotation, name) for name, rotation in table.players if name == "bob"] == [(0, "bob"), (1, "bob")]
    player = table.players["bob", 1]
    assert player.dismissed == FAULT
    assert player.asked[-1][2].seat == 2
    (fault,) = table.result.faults
    assert fault == FaultRecord("bob", 2, 1, fault.decision, "illegal", "made up", b"raw", b"the end of stderr")
    assert 0 <= fault.decision < table.result.games[1].decisions
    bob = table.result.seats[1]
    others = [seat for seat in table.result.seats if seat is not bob]
    assert bob.stand_in
    assert bob.rank == 4
    assert bob.total == min(table.sums()[1], *(seat.total for seat in others))
    assert [seat.total for seat in others] == [total for i, total in enumerate(table.sums()) if i != 1]
    assert sorted(seat.rank for seat in others)[0] == 1


def test_several_faulted_entrants_share_the_last_place():
    """They tie behind everybody else, whatever they had scored, and neither has more than the lowest of the others."""
    one, other = faulting("ann", 0), faulting("dan", 3)
    table = Table(lambda entrant, rotation: (one if entrant == "ann" else other)(entrant, rotation))
    seats = table.result.seats
    assert [seat.stand_in for seat in seats] == [True, False, False, True]
    assert seats[0].rank == seats[3].rank == 3
    assert {seats[1].rank, seats[2].rank} in ({1, 2}, {1})
    low = min(seats[1].total, seats[2].total)
    assert max(seats[0].total, seats[3].total) <= low
    assert (seats[0].total, seats[3].total) == (min(table.sums()[0], low), min(table.sums()[3], low))


def test_a_match_in_which_everybody_faulted():
    """All share a place and nobody is capped: there is nobody to compare with."""
    table = Table(lambda entrant, rotation: Scripted(FAULT))
    assert [seat.rank for seat in table.result.seats] == [1, 1, 1, 1]
    assert [seat.total for seat in table.result.seats] == table.sums()
    assert all(seat.stand_in for seat in table.result.seats)
    assert len(table.result.faults) == 4
    assert {fault.rotation for fault in table.result.faults} == {0}
    assert [game.decisions for game in table.result.games] == [4, 0, 0, 0]


def test_a_fault_and_stand_ins_leave_the_game_whole():
    """After a fault every game is played to its end, and the seat's acts are those of the stand-in's stream."""
    table = Table(lambda entrant, rotation: Scripted(FAULT), sizes=[4])
    for game in table.result.games:
        acts = decode_log(game.log).acts
        first = (deal_game(table.rules, SEED, "T.0").first_dealer + 1) % 4
        stream = stand_in_stream(SEED, "T.0", game.rotation, first)
        assert acts[0] == stream.below(5)
        assert len(acts) == 4 + 16


def test_who_cannot_be_started_has_faulted_before_the_first_decision():
    """A start failure is a fault of the match; no player of that entrant is asked for again."""
    failure = StartFailure(Fault("start", "no such file"), b"stderr")

    def make(entrant, rotation):
        return failure if entrant == "cyd" and rotation == 2 else at_random(entrant, rotation)

    table = Table(make)
    assert table.result.faults == (FaultRecord("cyd", 0, 2, NO_DECISION, "start", "no such file", b"", b"stderr"),)
    assert ("cyd", 3) not in table.players
    assert table.result.seats[2].rank == 4


def test_a_disqualified_entrant_is_never_started():
    """A planned stand-in sits from the first card and comes last, without a fault."""
    table = Table(at_random, stand_ins=["ann"])
    assert not any(entrant == "ann" for entrant, _ in table.players)
    assert table.result.faults == ()
    assert (table.result.seats[0].stand_in, table.result.seats[0].rank) == (True, 4)


def test_a_fault_seen_when_the_game_is_over():
    """What a player wrote after its last answer is blamed on it in that game, behind its last decision."""

    class Stray(FirstLegal):
        def check_quiet(self):
            return Fault("unasked", "3 bytes")

    table = Table(lambda entrant, rotation: Stray() if (entrant, rotation) == ("bob", 1) else FirstLegal())
    assert table.result.faults == (
        FaultRecord("bob", 2, 1, table.result.games[1].decisions, "unasked", "3 bytes", b"", b"the end of stderr"),
    )
    assert ("bob", 2) not in table.players
    assert table.result.seats[1].stand_in


def test_who_has_faulted_is_not_asked_whether_it_is_quiet():
    """One fault a match is enough."""

    class Loud(Scripted):
        def check_quiet(self):
            raise AssertionError

    table = Table(lambda entrant, rotation: Loud(FAULT) if entrant == "bob" else FirstLegal())
    assert [fault.kind for fault in table.result.faults] == ["illegal"]


def test_events_go_to_those_who_want_them():
    """Who wants events hears facts, acts only if somebody at the table wants them; others hear nothing."""

    def make(entrant, rotation):
        return FirstLegal(wanted={"ann": ["hand_end"], "bob": ["play"] if rotation else []}.get(entrant, []))

    table = Table(make)
    quiet, loud = table.players["ann", 0].facts, table.players["ann", 1].facts
    assert [type(fact) for fact in quiet] == [HandResult, HandResult, GameEnded]
    assert len(loud) > len(quiet)
    assert table.players["bob", 1].facts == loud
    assert table.players["bob", 0].facts == table.players["cyd", 1].facts == []


def test_notes_are_kept_beside_their_decisions():
    """A note is kept with the number of its decision in the game; what was cut is counted."""
    first = Scripted(Reply(0, note="hm", note_cut=7))
    table = Table(lambda entrant, rotation: first if (entrant, rotation) == ("ann", 0) else FirstLegal())
    game = table.result.games[0]
    ((number, text),) = [(note.decision, note.text) for note in game.notes]
    assert text == "hm"
    assert 0 <= number < 4
    assert game.notes_dropped == 7
    assert all(other.notes == () and other.notes_dropped == 0 for other in table.result.games[1:])


def test_notes_of_a_game_are_limited_by_seat():
    """Of each seat's notes 16 KiB a game are kept, counted in UTF-8; the rest is dropped and counted."""

    class Noting(FirstLegal):
        def answer(self, kind, legal, view, standing):
            return Reply(legal[0], note="ü" * 200)

    table = Table(lambda entrant, rotation: Noting() if entrant in ("ann", "bob") else FirstLegal(), sizes=[10] * 10)
    game = table.result.games[0]
    most = 16 * 1024 // 400
    for name in ("ann", "bob"):
        assert len(table.players[name, 0].asked) > most
    assert len(game.notes) == 2 * most
    asked = sum(len(table.players[name, 0].asked) for name in ("ann", "bob"))
    assert game.notes_dropped == 200 * (asked - 2 * most)
    assert game.notes[0] == Note(game.notes[0].decision, "ü" * 200)


@pytest.mark.parametrize("entrant", NAMES)
def test_the_times_are_those_charged(entrant):
    """Each decision has the time that its player was charged."""
    table = Table(lambda name, rotation: AtRandom(0) if name == entrant else FirstLegal(), change_bid=False)
    times = decode_log(table.result.games[0].log).times_us
    assert len(times) == table.result.games[0].decisions
    assert times.count(7) >= sum(len(table.players[name, 0].asked) for name in NAMES if name != entrant)
