"""Bids as low and plays as low as it may. Remembers nothing: each answer follows from its request alone."""

import json
import sys


def choose_bid(request):
    return request["legal"][0]  # legal answers come sorted


def choose_card(request):
    return min(request["legal"], key=lambda card: "23456789TJQKA".index(card[0]))


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
            case "request_bid":
                reply(id=message["id"], bid=choose_bid(message))
            case "request_play":
                reply(id=message["id"], card=choose_card(message))
            case "quit":
                break


if __name__ == "__main__":
    main()
