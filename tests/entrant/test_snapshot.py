import hashlib
import os
import stat
import sys
from pathlib import Path

import pytest

from runner.entrant.build import run_build
from runner.entrant.errors import EntrantError
from runner.entrant.manifest import load_bot
from runner.entrant.remove import remove_tree
from runner.entrant.snapshot import CAPS, Caps, Snapshot, hash_bot, take_snapshot
from tests.entrant.conftest import alive


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A directory with two files and things that are not part of a bot."""
    directory = tmp_path / "bot"
    (directory / "lib").mkdir(parents=True)
    (directory / "bot.py").write_text("import lib.x\n")
    (directory / "lib" / "x.py").write_text("pass\n")
    (directory / "lib" / "x.py").chmod(0o755)
    (directory / ".git").mkdir()
    (directory / ".git" / "HEAD").write_text("x")
    (directory / "__pycache__").mkdir()
    (directory / "__pycache__" / "bot.pyc").write_text("x")
    (directory / "env").mkdir()
    (directory / "env" / "pyvenv.cfg").write_text("x")
    (directory / "runs" / "cup" / "snapshots").mkdir(parents=True)
    (directory / "runs" / "cup" / "run.sqlite").write_text("x")
    (directory / "runs" / "cup" / "snapshots" / "bot.py").write_text("x")
    return directory


def take(bot: Path, caps: Caps = CAPS) -> Snapshot:
    return take_snapshot(load_bot(bot), bot.parent / "snapshots", caps)


def files(directory: Path) -> dict[str, int]:
    return {
        str(path.relative_to(directory)): stat.S_IMODE(path.lstat().st_mode)
        for path in directory.rglob("*")
        if not path.is_dir()
    }


def test_the_hash_is_that_of_its_definition(bot: Path) -> None:
    """Format, then kind, path and contents with their lengths, in the order of the paths."""
    (bot / "lib" / "a").symlink_to("x.py")
    parts = [(b"f", b"bot.py", b"import lib.x\n"), (b"l", b"lib/a", b"x.py"), (b"x", b"lib/x.py", b"pass\n")]
    digest = hashlib.sha256(b"ohhell-bot-v1\0")
    for kind, name, content in parts:
        digest.update(kind + len(name).to_bytes(8, "big") + name + len(content).to_bytes(8, "big") + content)
    assert hash_bot(load_bot(bot)) == digest.digest()


def test_a_snapshot_is_a_read_only_copy(bot: Path) -> None:
    """It is named by its hash, holds the bot's files and no others, and nobody may write there."""
    snapshot = take(bot)
    assert snapshot.hash == hash_bot(load_bot(bot))
    assert snapshot.directory.name == snapshot.hash.hex()
    assert snapshot.command == (sys.executable, "bot.py")
    assert files(snapshot.directory) == {"bot.py": 0o444, "lib/x.py": 0o555}
    assert stat.S_IMODE(snapshot.directory.stat().st_mode) == 0o555
    remove_tree(snapshot.directory)
    assert not snapshot.directory.exists()


def test_a_snapshot_is_taken_once(bot: Path) -> None:
    """The same files are the same snapshot, others another."""
    first = take(bot)
    inode = (first.directory / "bot.py").stat().st_ino
    assert take(bot) == first
    assert (first.directory / "bot.py").stat().st_ino == inode
    (bot / "lib" / "x.py").chmod(0o644)
    assert take(bot).hash != first.hash
    (bot / "lib" / "x.py").chmod(0o755)
    remove_tree(first.directory)
    assert take(bot) == first
    assert (first.directory / "bot.py").exists()
    assert not [*(bot.parent / "snapshots").glob(".*")]


def test_a_bare_file_is_copied_alone(bot: Path) -> None:
    """What lies beside it is not part of the bot."""
    assert files(take(bot / "bot.py").directory) == {"bot.py": 0o444}


def test_what_is_ignored_is_not_part_of_a_bot(bot: Path) -> None:
    """Patterns name files anywhere, or by their path; the manifest itself stays."""
    for name in ("a.o", "lib/b.o", "lib/keep"):
        (bot / name).write_text("x")
    (bot / "out").mkdir()
    (bot / "out" / "c").write_text("x")
    (bot / "bot.yaml").write_text("ignore: ['*.o', out/, ./lib/x.py, bot.yaml]\n")
    assert set(files(take(bot).directory)) == {"bot.py", "bot.yaml", "lib/keep"}


def refusal(bot: Path, caps: Caps = CAPS) -> str:
    with pytest.raises(EntrantError) as caught:
        take(bot, caps)
    assert not [*(bot.parent / "snapshots").glob(".*")]
    return caught.value.sentence


def test_what_is_no_file_is_refused(bot: Path) -> None:
    """FIFOs do not make it wait, devices are not read, links lead inside."""
    os.mkfifo(bot / "pipe")
    assert refusal(bot) == "neither a file nor a directory: pipe"
    (bot / "pipe").unlink()
    for target in ("/dev/zero", "../other", "loop", str(bot / "bot.py"), "gone"):
        (bot / "loop").symlink_to(target)
        assert refusal(bot).startswith("a link that does not lead to a file inside by a relative path: loop")
        (bot / "loop").unlink()


def test_caps_are_named(bot: Path) -> None:
    """A sparse file is not read, and both caps say what they allow."""
    assert refusal(bot, Caps(files=1)).startswith("more than 1 files")
    with (bot / "huge").open("wb") as file:
        file.truncate(1 << 40)
    assert "268,435,456 are allowed; the largest is huge" in refusal(bot)
    (bot / "huge").unlink()
    deep = bot
    for _ in range(1_500):
        deep /= "d"
        deep.mkdir()
    assert refusal(bot).startswith("directories too deep in each other: d/d/")
    remove_tree(bot / "d")


def test_a_file_that_goes_while_it_is_read(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot may be worked on while it is copied; what is gone by then is named."""
    real_lstat = Path.lstat

    def lstat(path: Path) -> os.stat_result:
        if path.name == "x.py":
            path.unlink()
        return real_lstat(path)

    monkeypatch.setattr(Path, "lstat", lstat)
    assert refusal(bot) == "cannot be read: lib/x.py (No such file or directory)"


def test_an_unreadable_file_is_named(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be read is named; the refusal is played here, as root may read all."""
    real_open = os.open

    def refusing_open(path: str | Path, *arguments: int, **named: int) -> int:
        if str(path).endswith("x.py"):
            raise PermissionError(13, "Permission denied", str(path))
        return real_open(path, *arguments, **named)

    monkeypatch.setattr(os, "open", refusing_open)
    assert refusal(bot) == "cannot be read: lib/x.py (Permission denied)"


def build(bot: Path, code: str) -> None:
    (bot / "make.py").write_text(code)
    (bot / "bot.yaml").write_text("build: [python3, -S, make.py]\ncommand: ./made\n")


def test_a_build_runs_once_in_the_snapshot(bot: Path) -> None:
    """What it makes is run, its log is kept, and the bot's own directory is unchanged."""
    build(
        bot,
        "import os\nprint('building')\n"
        "open('made', 'w').write('#!/bin/sh\\n')\nos.chmod('made', 0o700)\nopen('log', 'a').write('x')\n",
    )
    snapshot = take(bot)
    assert take(bot) == snapshot
    assert snapshot.command == (str(snapshot.directory / "made"),)
    assert (snapshot.directory / "log").read_text() == "x"
    assert not (bot / "made").exists()
    assert (bot.parent / "snapshots" / f"{snapshot.hash.hex()}.build.log").read_text() == "building\n"


def test_a_build_that_fails_is_tried_again(bot: Path) -> None:
    """The end of its log is told, escaped, and a half-built snapshot is never used."""
    build(bot, "import sys\nprint('\\x1b[31mno compiler')\nsys.exit(2)\n")
    for _ in range(2):
        with pytest.raises(EntrantError) as caught:
            take(bot)
        assert caught.value.kind == "build"
        assert caught.value.where == bot
        assert caught.value.sentence == "exit status 2: \\x1b[31mno compiler"


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV"])
def test_a_build_that_is_killed(bot: Path, name: str) -> None:
    """A build that a signal ends, as the kernel does for want of memory, is not told to be late."""
    build(bot, f"import os, signal\nos.kill(os.getpid(), signal.{name})\n")
    assert refusal(bot) == f"{name}: it said nothing"


def test_a_build_that_makes_nothing_is_refused(bot: Path) -> None:
    """The command is looked at after the build."""
    build(bot, "")
    assert refusal(bot) == "no such file: ./made"


def test_a_build_that_does_not_end(bot: Path, tmp_path: Path) -> None:
    """It is ended after its time with all that it has started, whatever it writes."""
    build(
        bot,
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork():\n        os._exit(0)\n"
        "    open('pid', 'w').write(str(os.getpid()))\n    time.sleep(600)\n"
        "while True:\n    os.write(1, b'noise\\n' * 1000)\n",
    )
    with pytest.raises(EntrantError, match=r"not done within 0.5 s: .*noise"):
        run_build(("python3", "-S", "make.py"), bot, tmp_path / "log", seconds=0.5)
    assert (tmp_path / "log").stat().st_size <= 256 * 1024
    assert not alive(int((bot / "pid").read_text()))
