"""Keeps bot processes alive between matches, one for each (entrant, rotation), so that none meets a deal twice.

The k games of a match are on the same cards: a process that had played one would know every hand of the next.
"""

import time
from collections import OrderedDict
from collections.abc import Mapping

from runner.entrant.launch import Launch
from runner.entrant.session import GRACE_MS, Session, StartFailure
from runner.protocol.messages import WireClock

CAPACITY = 64  # processes kept alive; a match has at most 49, so its own are never thrown out by each other


class SessionPool:
    """The live sessions of one worker; who was not used for longest goes first when there are too many."""

    def __init__(self, launches: Mapping[str, Launch], clock: WireClock, fresh: frozenset[str] = frozenset()) -> None:
        """`launches` by entrant id; entrants in `fresh` get a new process for every game."""
        self._launches = launches
        self._clock = clock
        self._fresh = fresh
        self._sessions: OrderedDict[tuple[str, int], Session] = OrderedDict()

    def find(self, entrant: str, rotation: int) -> Session | StartFailure:
        """Return a session for the entrant's game of this rotation, started now if there is none that may be used."""
        key = (entrant, rotation)
        session = self._sessions.pop(key, None)
        if session is not None and (entrant in self._fresh or session.dismissed):
            session.close()
            session = None
        if session is None:
            started = Session.start(self._launches[entrant], self._clock)
            if isinstance(started, StartFailure):
                return started
            session = started
        self._sessions[key] = session
        while len(self._sessions) > CAPACITY:
            self._sessions.popitem(last=False)[1].close()
        return session

    def close(self) -> None:
        """End every session; the grace that bots are given to end by themselves is one for all."""
        sessions = list(self._sessions.values())
        self._sessions.clear()
        for session in sessions:
            session.part()
        deadline = time.monotonic() + GRACE_MS / 1000
        for session in sessions:
            session.close(max(0, round((deadline - time.monotonic()) * 1000)))
