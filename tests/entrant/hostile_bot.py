"""One bot with every bad habit that concerns its pipes and processes: `hostile_bot.py MODE [ARGUMENT]`.

Without a habit it answers every line of input with "ok N", N from 1.
"""

import os
import signal
import subprocess
import sys
import time

OUT = 1


def write(data, fd=OUT):
    while data:
        data = data[os.write(fd, data) :]


def replies():
    """Yield the number of each request, from 1, as it comes."""
    with open(0, "rb", buffering=0, closefd=False) as stream:
        number = 0
        rest = b""
        while chunk := stream.read(65536):
            rest += chunk
            while b"\n" in rest:
                _, _, rest = rest.partition(b"\n")
                number += 1
                yield number


def honest(end=b"\n"):
    for number in replies():
        write(b"ok %d" % number + end)


def first_request():
    next(replies())


def hang(at="1"):
    for number in replies():
        if number >= int(at):
            forever()
        write(b"ok %d\n" % number)


def forever():
    while True:
        time.sleep(60)


def drip():
    first_request()
    while True:
        write(b"x")
        time.sleep(0.02)


def big_line(megabytes="64"):
    first_request()
    for _ in range(int(megabytes) * 16):
        write(b"x" * 65536)
    forever()


def flood_before():
    while True:
        write(b"flood\n" * 1000)


def flood_after():
    first_request()
    write(b"ok 1\n" + b"flood\n" * 600)
    while True:
        write(b"flood\n" * 1000)


def never_read():
    forever()


def slow_reader(seconds="0.2"):
    time.sleep(float(seconds))
    honest()


def close_stdout():
    first_request()
    os.close(1)
    forever()


def close_stdin():
    os.close(0)
    write(b"", 1)
    write(b"closed", 2)
    forever()


def daemon_holds_stdout():
    first_request()
    daemon()
    os._exit(4)


def reply_and_daemon():
    first_request()
    daemon()
    write(b"ok 1\n")
    os._exit(0)


def daemon(clean=False):
    """Leave a process in a session of its own, with another parent, that keeps the pipes; wait until it is there."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            os.write(writer, b"%d" % os.getpid())
            os.close(writer)
            if clean:
                os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"], {})
            forever()
        os._exit(0)
    os.close(writer)
    pid = os.read(reader, 20)
    os.wait()
    return pid


def grandchildren():
    """Answer with the numbers of a child, a child in a session of its own and a double-forked daemon."""
    sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
    child = subprocess.Popen(sleep).pid
    other = subprocess.Popen(sleep, start_new_session=True).pid
    lost = daemon()
    for _ in replies():
        write(b"%d %d %s\n" % (child, other, lost))


def clean_daemon():
    """Leave a daemon that carries nothing of the bot's: session, group, parent and environment are others."""
    lost = daemon(clean=True)
    for _ in replies():
        write(b"%s\n" % lost)


def relay():
    """Have short-lived sessions replace each other, each started by the one before, for at most three seconds."""
    first_request()
    write(b"0\n")
    end = time.monotonic() + 3
    while time.monotonic() < end:
        if os.fork() == 0:
            os.setsid()
        else:
            time.sleep(0.001)
            os._exit(0)


def stderr_flood(megabytes="16"):
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    first_request()
    for number in range(int(megabytes) * 16):
        try:
            write(b"%08d" % number + b"e" * 65527 + b"\n", 2)
        except BrokenPipeError:
            break
    write(b"ok 1\n")
    forever()


def stderr_note():
    write(b"first words\n", 2)
    honest()


def ignore_term():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    honest()
    forever()


def segv():
    first_request()
    os.kill(os.getpid(), signal.SIGSEGV)


def exit3():
    sys.exit(3)


def exit_at_request(status="3"):
    first_request()
    sys.exit(int(status))


def stop_self():
    first_request()
    os.kill(os.getpid(), signal.SIGSTOP)


def cr_only():
    honest(b"\r")


def crlf():
    honest(b"\r\n")


def partial():
    first_request()
    write(b"ok")
    forever()


def partial_then_exit():
    first_request()
    write(b'{"id":')
    os._exit(0)


def no_newline_exit():
    first_request()
    write(b'{"id":1}')
    os._exit(0)


def reply_then_exit():
    first_request()
    write(b"ok 1\n")
    os._exit(0)


def twice():
    for number in replies():
        write(b"ok %d\n" % number * 2)


def line_of(length):
    """Answer with a line of that many bytes, its line feed included."""
    for _ in replies():
        write(b"y" * (int(length) - 1) + b"\n")


def sleep(seconds):
    for number in replies():
        time.sleep(float(seconds))
        write(b"ok %d\n" % number)


def spin(seconds):
    """Burn that much CPU time on every request."""
    for number in replies():
        burn(float(seconds))
        write(b"ok %d\n" % number)


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def child_burn(seconds):
    """Burn CPU time in two forked children at once, one per CPU, where the machine has two."""
    for number in replies():
        children = []
        for _ in range(2):
            child = os.fork()
            if child == 0:
                burn(float(seconds))
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        write(b"ok %d\n" % number)


def idle_burn(seconds):
    """Burn CPU time after every reply, and answer a little late."""
    for number in replies():
        time.sleep(0.02)
        write(b"ok %d\n" % number)
        burn(float(seconds))


def environment():
    """Answer with the environment, then with the working directory, the signals ignored, and the open descriptors."""
    numbers = replies()
    next(numbers)
    write("\0".join(sorted(f"{key}={value}" for key, value in os.environ.items())).encode() + b"\n")
    next(numbers)
    pythons_own = {signal.SIGPIPE, signal.SIGXFSZ}
    ignored = [n for n in signal.valid_signals() - pythons_own if signal.getsignal(n) == signal.SIG_IGN]
    open_fds = [fd for fd in range(256) if is_open(fd)]
    write(f"{os.getcwd()} {ignored} {open_fds} {os.getsid(0) == os.getpid()}\n".encode())  # noqa: PTH109 — pathlib would double the start-up time


def is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
