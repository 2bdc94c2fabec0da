"""A bot that starts fast and has one habit: `tiny_bot.py [HABIT]`.

Whatever it does follows from the message at hand, never from what came before, so that results are the same however
the matches are spread over processes. A habit that ends with `?` shows in about a ninth of its games only. Outside
paths are read from files in the bot's directory, as a command may not lead out of it.
"""

import os
import signal
import sys


def legal(line):
    start = line.index(b'"legal":[') + 9
    return line[start : line.index(b"]", start)].split(b",")


def number(line, key):
    start = line.index(b'"%s":' % key) + len(key) + 3
    end = start
    while line[end : end + 1].isdigit():
        end += 1
    return int(line[start:end])


def say(data):
    os.write(1, data)


def answer(line, choice):
    key = b"bid" if b"request_bid" in line else b"card"
    say(b'{"id":%d,"%s":%s}\n' % (number(line, b"id"), key, choice))


def wait_while_held():
    """Say that a game was begun, and wait as long as the file `hold` is there."""
    with open("gate.txt") as file:
        directory = file.read()
    open(os.path.join(directory, "held-%d" % os.getpid()), "w").close()
    while os.path.exists(os.path.join(directory, "hold")):
        import time

        time.sleep(0.005)


def stay():
    """Live on whatever comes, until killed."""
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    while True:
        signal.pause()


def leave_daemon(environment):
    """Start a process that leaves its session and its parent."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in (0, 1, 2):
                os.close(fd)
            os.execve(sys.executable, [sys.executable, "-S", "-E", os.path.abspath("bot.py"), "stay"], environment)
        os._exit(0)
    os.wait()


def leave_directories(depth):
    """Leave directories nested that deep in the scratch directory, none of which may be written to."""
    os.chdir(os.environ["HOME"])
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")
    for _ in range(depth):
        os.chmod(".", 0o500)
        os.chdir("..")
    os.chmod(".", 0)


def misbehave(habit, line):
    """Do the wrong thing in place of an answer; return whether that was an answer of sorts."""
    if habit == "die":
        os._exit(3)
    if habit == "garbage":
        say(b"I bid two\n")
    if habit == "illegal":
        answer(line, b"99" if b"request_bid" in line else b'"1X"')
    if habit == "hang":
        signal.pause()
    if habit == "kill_worker":
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()


def main():
    habit = sys.argv[1]
    if habit == "stay":
        stay()
    if habit.startswith("nested"):
        leave_directories(int(habit.split()[1]))
    if habit.startswith("daemon"):
        leave_daemon(dict(os.environ))
    if habit == "daemons in disguise":
        leave_daemon({})
    wicked = habit.rstrip("?") in ("die", "garbage", "illegal", "hang", "kill_worker")
    seed = 0
    with open(0, "rb", closefd=False) as stream:
        for line in iter(stream.readline, b""):
            if line.startswith(b'{"type":"hello"'):
                say(b'{"type":"ready","protocol":1}\n')
            elif line.startswith(b'{"type":"game_start"'):
                seed = number(line, b"seed")
                if habit == "gate":
                    wait_while_held()
            elif line.startswith(b'{"type":"request_'):
                if wicked and (not habit.endswith("?") or seed % 9 == 0):
                    misbehave(habit.rstrip("?"), line)
                    continue
                choices = legal(line)
                choice = choices[seed % len(choices)] if habit != "low" else choices[0]
                if habit == "notes":
                    choice += b',"note":"' + b"n" * 200 + b'"'
                answer(line, choice)
    if habit == "stubborn":
        stay()


main()
