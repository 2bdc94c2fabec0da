"""A bot that gives the first legal answer, for measuring the runner: what a plain Python bot costs."""

import json
import sys


def main() -> None:
    """Answer each request in turn until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                answer = {"type": "ready", "protocol": 1}
            case "request_bid":
                answer = {"id": message["id"], "bid": message["legal"][0]}
            case "request_play":
                answer = {"id": message["id"], "card": message["legal"][0]}
            case "quit":
                break
            case _:
                continue
        sys.stdout.write(json.dumps(answer) + "\n")  # one write; print may make two
        sys.stdout.flush()


if __name__ == "__main__":
    main()
