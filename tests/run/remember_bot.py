"""Keeps the cards of every hand it is dealt in memory, in its scratch and in its own directory, and looks for them.

A hand it has seen before in an earlier game, its own or another process's, makes it exit with status 7.
"""

import os
import sys

PLACES = [os.environ["HOME"], os.environ["TMPDIR"]] + ([] if "no-own-directory" in sys.argv else [os.getcwd()])


def say(text):
    os.write(1, text.encode() + b"\n")


def remembered():
    for place in PLACES:
        for name in os.listdir(place):
            if name.startswith("seen"):
                with open(os.path.join(place, name)) as file:
                    yield from file.read().splitlines()


def remember(hand):
    for place in PLACES:
        try:
            with open(os.path.join(place, "seen-%d" % os.getpid()), "a") as file:
                file.write(hand + "\n")
        except OSError:
            pass


def main():
    memory = set()
    current = None
    while line := sys.stdin.readline():
        if '"hello"' in line:
            say('{"type":"ready","protocol":1}')
        elif line.startswith('{"type":"request_'):
            message = eval(line, {"null": None, "true": True, "false": False})
            now = (message["game"], message["hand"])
            if current != now:
                # The first request of a hand may come after a card was played, but never after one of its own.
                hand = " ".join(message["cards"])
                if len(message["cards"]) > 5 and (hand in memory or hand in remembered()):
                    sys.exit(7)
                memory.add(hand)
                remember(hand)
                current = now
            kind = "bid" if message["type"] == "request_bid" else "card"
            legal = message["legal"][0]
            say('{"id":%d,"%s":%s}' % (message["id"], kind, '"%s"' % legal if kind == "card" else legal))


main()
