import os
import signal
import subprocess
import sys
from pathlib import Path

from runner.entrant import tree
from runner.entrant.process import BotProcess
from tests.entrant.conftest import ENOUGH, Start, alive, wait_until

SLEEP = [sys.executable, "-S", "-E", "-c", "import time; print(1, flush=True); time.sleep(600)"]
WORKER = """
import os, sys, time
from pathlib import Path
from runner.entrant import tree
from runner.entrant.launch import Launch
from runner.entrant.process import BotProcess, Limit
tree.die_with_parent(int(sys.argv[1]))
tree.become_subreaper()
scratch = Path(sys.argv[3])
command = (sys.executable, "-S", "-E", sys.argv[2], "grandchildren")
bot = BotProcess.start(Launch("x", command, Path(sys.argv[2]).parent, scratch))
bot.send(b"go\\n", Limit(20_000, 20_000))
line = bot.receive(Limit(20_000, 20_000))
print(bot.pid, line.decode(), flush=True)
time.sleep(600)
"""


def reply(bot: BotProcess) -> list[int]:
    assert bot.send(b"go\n", ENOUGH) is None
    line = bot.receive(ENOUGH)
    assert isinstance(line, bytes)
    return [int(word) for word in line.split()]


def worker(start: Start, tmp_path: Path, parent: int) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a process with a bot of its own; return it and the numbers of bot, child, other session and daemon."""
    bot_file = start("honest").launch.directory / "bot.py"
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(parent), str(bot_file), str(tmp_path / "run" / "scratch")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    return process, [int(word) for word in process.stdout.readline().split()]


def test_a_whole_tree_is_ended(start: Start) -> None:
    """Children, other sessions and double-forked daemons end with the bot; its neighbours do not."""
    neighbour = start("grandchildren")
    others = reply(neighbour)
    bot = start("grandchildren")
    pids = reply(bot)
    assert all(map(alive, pids))
    bot.stop(0)  # which may find it ended by end of file
    assert not any(map(alive, [bot.pid, *pids]))
    assert all(map(alive, others))
    neighbour.stop(0)
    assert not any(map(alive, others))


def test_a_daemon_outlives_neither_its_bot_nor_end_of_file(start: Start) -> None:
    """A bot that ends by itself leaves its daemon to be ended by stop."""
    bot = start("daemon_holds_stdout")
    bot.send(b"go\n", ENOUGH)
    bot.receive(ENOUGH)
    assert bot.stop(0) == "exit status 4"


def test_orphans_without_a_mark_are_swept(start: Start) -> None:
    """A daemon that shares nothing with its bot is a child of the runner in a session of its own: that is enough."""
    helper = subprocess.Popen(SLEEP, stdout=subprocess.PIPE)
    neighbour = start("grandchildren")
    others = reply(neighbour)
    bot = start("clean_daemon")
    (lost,) = reply(bot)
    wait_until(lambda: (stat := tree.read_stat(lost)) is not None and stat.parent == os.getpid())
    wait_until(lambda: Path(f"/proc/{lost}/environ").read_bytes() == b"")
    bot.stop(0)
    assert alive(lost)
    assert tree.sweep_orphans() == 1
    assert not alive(lost)
    assert helper.poll() is None
    assert all(map(alive, [neighbour.pid, *others]))
    assert tree.sweep_orphans() == 0
    helper.kill()
    helper.communicate()


def test_bots_die_with_their_worker(start: Start, tmp_path: Path) -> None:
    """SIGKILL of a worker ends its bots; what those have started becomes ours and is swept."""
    process, pids = worker(start, tmp_path, os.getpid())
    process.kill()
    process.communicate()
    wait_until(lambda: not alive(pids[0]))
    tree.sweep_orphans()
    assert not any(map(alive, pids))


def test_a_worker_whose_parent_is_gone_ends(start: Start, tmp_path: Path) -> None:
    """A process that was started by another than it expects does not begin."""
    process, pids = worker(start, tmp_path, os.getpid() + 1)
    assert pids == []
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def test_leftovers_are_known_by_their_directory(tmp_path: Path) -> None:
    """Only processes whose HOME lies under exactly that directory are ended."""
    root = tmp_path / "run"
    homes = [root / "a", root / "b" / "c", tmp_path / "run2" / "a", root, tmp_path]
    processes = []
    for home in homes:
        processes.append(subprocess.Popen(SLEEP, env={"HOME": str(home), "X": f"HOME={root}/a"}, stdout=-1))
        assert processes[-1].stdout is not None
        processes[-1].stdout.readline()
    (tmp_path / "link").symlink_to(root)
    assert tree.sweep_leftovers(tmp_path / "link") == 2
    assert tree.sweep_leftovers(root) == 0
    assert [alive(process.pid) for process in processes] == [False, False, True, True, True]
    for process in processes:
        process.kill()
        process.communicate()


def test_a_name_with_brackets_does_not_confuse() -> None:
    """A process may be called anything; what follows its last bracket counts."""
    line = b"12 (a) R 1 (b) S 7 8 9 0 -1 4194304 1 2 3 4 5 6 200 100 20 0 3 0 5555 1 2"
    stat = tree.parse_stat(line)
    tick_ns = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    assert stat == tree.ProcessStat("S", 7, 9, 300 * tick_ns, 3, 5555)
    assert tree.read_stat(2**22 + 1) is None


def test_a_forking_bot_cannot_stay_ahead(start: Start) -> None:
    """A bot whose processes replace each other without end is stopped before it is killed."""
    bot = start("relay")
    reply(bot)
    bot.stop(0)
