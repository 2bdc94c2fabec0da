"""Plays a game with the real table, referee and sessions, and scripts in the place of bot processes."""

from runner.entrant import session
from runner.entrant.session import Session
from runner.game.presets import resolve_rules
from runner.protocol.messages import WireClock
from runner.table.conditions import Conditions
from runner.table.match import play_match
from runner.table.results import MatchPlan
from tests.table.players import FirstLegal

SEED = bytes(range(32))
CLOCK = WireClock(start_ms=5000, move_ms=1000, move_wall_ms=5500, bank_ms=None)


class FakeProcess:
    """A bot process that is a list of replies; what is written to it and what it says goes onto `tape`."""

    last_charged_us = 0

    def __init__(self, seat, replies, tape):
        self.seat = seat
        self.replies = replies
        self.tape = tape

    def post(self, data):
        assert data.endswith(b"\n")
        self.tape += [(">", self.seat, line.decode("ascii")) for line in data[:-1].split(b"\n")]

    def send(self, data, limit):
        self.post(data)

    def receive(self, limit):
        reply = next(self.replies)
        self.tape.append(("<", self.seat, reply))
        return reply.encode()

    def check_quiet(self):
        return None

    def close_stdin(self):
        return None

    def stop(self, grace_ms):
        return "exit status 0"

    def stderr_tail(self):
        return b""


class FakeProcesses:
    """Stands where `BotProcess` stands: `start` gives the fake process of the seat it is given as a launch."""

    def __init__(self, replies, tape):
        self.replies = replies
        self.tape = tape

    def start(self, seat):
        return FakeProcess(seat, self.replies[seat], self.tape)


def stage(monkeypatch, setup, replies, ids=None, tape=None):
    """Play the game of `setup` and return all lines in order: (direction, seat, text), as they come in `tape`.

    `replies` and `ids` have an iterator for each of `setup["seats"]`; the others give the first legal answer.
    """
    tape = [] if tape is None else tape
    monkeypatch.setattr(session, "BotProcess", FakeProcesses(replies, tape))
    names = tuple(f"bot-{seat}" for seat in range(setup["players"]))
    conditions = Conditions(resolve_rules(setup["rules"]).for_players(setup["players"]), SEED, CLOCK)
    sessions = []

    def find(entrant, rotation):
        seat = names.index(entrant)
        if rotation != 0 or seat not in setup["seats"]:
            return FirstLegal()
        if ids is not None:
            monkeypatch.setattr(session, "request_ids", lambda: ids[seat])
        sessions.append(Session.start(seat, CLOCK))
        return sessions[-1]

    play_match(MatchPlan(bytes(32), "0", names), conditions, dict.fromkeys(names, bytes(32)), find)
    for started in sessions:
        started.close()
    return tape
