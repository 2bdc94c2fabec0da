"""Players without a process, for games at a table."""

from random import Random

from runner.protocol.faults import Fault
from runner.protocol.lines import Reply


class FirstLegal:
    """Always gives the first legal answer; notes what it is told."""

    wanted = frozenset()
    last_us = 7

    def __init__(self, wanted=()):
        self.wanted = frozenset(wanted)
        self.starts = []
        self.facts = []
        self.asked = []
        self.dismissed = None

    def begin_game(self, start):
        self.starts.append(start)

    def hear(self, fact):
        self.facts.append(fact)

    def ask(self, kind, legal, view, standing):
        self.asked.append((kind, tuple(legal), view, standing))
        return self.answer(kind, legal, view, standing)

    def answer(self, kind, legal, view, standing):
        return Reply(legal[0])

    def check_quiet(self):
        return None

    def dismiss(self, fault):
        assert self.dismissed is None
        self.dismissed = fault
        return b"the end of stderr"


class AtRandom(FirstLegal):
    """Answers at random, at times not finally, and faults with a chance of `fault_rate` a request."""

    def __init__(self, seed, fault_rate=0.0, wanted=()):
        super().__init__(wanted)
        self.random = Random(seed)
        self.fault_rate = fault_rate

    def answer(self, kind, legal, view, standing):
        self.last_us = self.random.randrange(1 << self.random.randrange(1, 24))
        if self.random.random() < self.fault_rate:
            return Fault("garbage", "made up")
        return Reply(self.random.choice(legal), final=kind == "play" or self.random.random() < 0.6)


class Scripted(FirstLegal):
    """Gives the answers it is made with, then the first legal ones."""

    def __init__(self, *answers, wanted=()):
        super().__init__(wanted)
        self.answers = list(answers)

    def answer(self, kind, legal, view, standing):
        return self.answers.pop(0) if self.answers else Reply(legal[0])
