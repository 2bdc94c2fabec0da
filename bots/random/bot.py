"""Answers at random: every legal bid or card is as likely as any other.

The seed in `game_start` is its only source of chance, so the same game is always played the same way.
"""

import json
import sys
from random import Random

rng = Random()


def begin(game):
    rng.seed(game["seed"])


def choose_bid(request):
    return rng.choice(request["legal"])


def choose_card(request):
    return rng.choice(request["legal"])


def reply(**answer):
    """One line in one write (print may make two); flushed, or it would wait here while the runner waits for it."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main():
    for line in sys.stdin:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                reply(type="ready", protocol=1)
            case "game_start":
                begin(message)
            case "request_bid":
                reply(id=message["id"], bid=choose_bid(message))
            case "request_play":
                reply(id=message["id"], card=choose_card(message))
            case "quit":
                break


if __name__ == "__main__":
    main()
