import os
import pickle
import sys
from pathlib import Path

import pytest

from runner.entrant.manifest import Bot, EntrantError, Manifest, check_name, entrant_id, load_bot


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A directory with a bot.py, without a manifest."""
    directory = tmp_path / "My Bot"
    directory.mkdir()
    (directory / "bot.py").write_text("print()\n")
    return directory


def refusal(path: Path) -> str:
    with pytest.raises(EntrantError) as caught:
        load_bot(path)
    return str(caught.value).removeprefix(f"{path}").removeprefix("/bot.yaml").removeprefix(": start: ")


def manifest(directory: Path, text: str | bytes) -> Path:
    (directory / "bot.yaml").write_bytes(text.encode() if isinstance(text, str) else text)
    return directory


def script(directory: Path, content: bytes, mode: int = 0o755, name: str = "bot") -> Path:
    (directory / "bot.py").unlink(missing_ok=True)
    (directory / name).write_bytes(content)
    (directory / name).chmod(mode)
    return directory


def test_a_full_manifest(bot: Path) -> None:
    """Every key is read; a string is split into words, never given to a shell."""
    manifest(
        bot,
        "name: Größe 9\ncommand: python3 bot.py 'a b' ; $(x)\nbuild: [python3, bot.py]\nlanguage: Python\n"
        "author: A. U. Thor\nversion: 1.0\nrestart: match\nlimits: {memory_mb: 300}\nignore: ['*.o', out/]\n",
    )
    assert load_bot(bot) == Bot(
        directory=bot,
        source=None,
        manifest=Manifest(
            name="Größe 9",
            command=("python3", "bot.py", "a b", ";", "$(x)"),
            build=("python3", "bot.py"),
            language="Python",
            author="A. U. Thor",
            version="1.0",
            restart="match",
            limits={"memory_mb": 300},
            ignore=("*.o", "out/"),
        ),
        command=("python3", "bot.py", "a b", ";", "$(x)"),
        name="Größe 9",
    )


def test_no_manifest(bot: Path) -> None:
    """A directory is run by its bot.py, else by its executable bot; a bare file by itself."""
    assert load_bot(bot).command == ("python3", "bot.py")
    assert load_bot(bot).name == "My Bot"
    bare = load_bot(bot / "bot.py")
    assert (bare.command, bare.source, bare.directory) == (("python3", "bot.py"), "bot.py", bot)
    script(bot, f"#!{sys.executable}\n".encode())
    assert load_bot(bot).command == ("./bot",)
    assert load_bot(bot / "bot").command == ("./bot",)
    (bot / "bot").unlink()
    assert refusal(bot).startswith("no command")


def test_the_manifest_itself_names_its_bot(bot: Path) -> None:
    """The path of a bot.yaml is as good as its directory's."""
    manifest(bot, "name: x\n")
    assert load_bot(bot / "bot.yaml") == load_bot(bot)


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (b"#!/bin/sh\n", 0o644, "not executable (chmod +x): ./bot"),
        (b"#!/no/such/interp\n", 0o755, "interpreter /no/such/interp not found: ./bot"),
        (b"#!/bin/sh\r\necho\r\n", 0o755, "the shebang line ends in CR (Windows line ends); save"),
        (b"print()\n", 0o755, "exec format error: neither a program nor a script"),
        (b"", 0o755, "exec format error: the file is empty"),
        (b"\xef\xbb\xbf#!/bin/sh\n", 0o755, "BOM before the shebang"),
        (b"#!/usr/bin/env python3 -u\n", 0o755, "env looks for a program called 'python3 -u'"),
        (b"#!/usr/bin/env nopython3\n", 0o755, "interpreter nopython3 not found on PATH"),
        (b"#! \n", 0o755, "exec format error: the shebang names no interpreter"),
    ],
)
def test_programs_that_cannot_run(bot: Path, content: bytes, mode: int, said: str) -> None:
    """Each has a sentence of its own, found without running anything."""
    assert refusal(script(bot, content, mode)).startswith(said)


def test_programs_that_can(bot: Path) -> None:
    """Shebangs with and without env, and binaries."""
    for content in (b"#!/bin/sh\n", b"#! /bin/sh -e\n", b"#!/usr/bin/env python3\n", b"#!/usr/bin/env -S python3 -u\n"):
        load_bot(script(bot, content))
    load_bot(script(bot, Path("/bin/sh").read_bytes()[:1000]))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("./none", "no such file: ./none"),
        ("python3 none.py", "no such file: none.py"),
        ("noprogram", "program noprogram not found on PATH"),
        ("bot.py", "program bot.py not found on PATH; for the file beside the manifest write ./bot.py"),
        ("/bin/sh bot.py", "/bin/sh leads out of the bot's directory"),
        ("../x", "../x leads out of the bot's directory"),
        ("python3 a/../../x.py", "a/../../x.py leads out of the bot's directory"),
        ("'~/x'", "~/x leads out of the bot's directory"),
        ("./sub", "not a regular file inside the bot's directory: ./sub"),
        ("./fifo", "not a regular file inside the bot's directory: ./fifo"),
        ("./out", "not a regular file inside the bot's directory: ./out"),
        ("./loop", "not a regular file inside the bot's directory: ./loop"),
        ('[python3, "bot.py\\n"]', "the word bot.py\\n has a control character"),
    ],
)
def test_commands_that_are_refused(bot: Path, command: str, said: str) -> None:
    """What is missing, is no file or leads out of the directory is refused."""
    (bot / "sub").mkdir()
    os.mkfifo(bot / "fifo")
    (bot / "out").symlink_to("/bin/sh")
    (bot / "loop").symlink_to("loop")
    assert refusal(manifest(bot, f"command: {command}\n")).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nmae: x\n", "line 1: there is no key `nmae`; did you mean `name`?"),
        ("name: x\nenv: {A: b}\n", "line 2: there is no key `env`"),
        ("name: x\nname: y\n", "line 2: the key name stands here a second time"),
        ("a: &a [x]\nb: *a\n", "line 1: anchors, aliases and second documents are not used"),
        ("--- {}\n--- {}\n", "line 2: anchors, aliases and second documents"),
        ("name: !!python/name:os.system x\n", "line 1: tags are not used"),
        ("ignore: [[[[[[x]]]]]]\n", "line 1: nested more than 3 deep"),
        ("[" * 60_000, "line 1: nested more than 3 deep"),
        ("name: [x\n", "line 2: this is not YAML"),
        ("- x\n", "line 1: a manifest is a mapping"),
        (b"\xef\xbb\xbfname: x\n", "begins with a byte order mark"),
        (b"name: \xff\n", "line 1: not UTF-8"),
        ("name: a\0b\n", "this is not YAML"),
        ('name: "a\\0b"\n', "line 1: `name` has a character that cannot be written"),
        ("# " + "x" * 70_000, "larger than 65,536 bytes"),
        ("command: []\n", "line 1: `command` is empty"),
        ("command: python3 'bot.py\n", "line 1: `command` cannot be split into words: No closing quotation"),
        ("restart: often\n", "line 1: `restart` has to be one of never, match, game"),
        ("limits: {cpu: 1}\n", "line 1: there is no limit `cpu`"),
        ("limits: {memory_mb: much}\n", "line 1: `memory_mb` has to be a whole number"),
        ("ignore: ['../x']\n", "line 1: `ignore` names files of the bot's directory, not `../x`"),
        ("author: [a]\n", "line 1: `author` has to be text"),
        ('author: "a\\e[31m"\n', "line 1: `author` has to be one line"),
        ('name: "\\e[31mred"\n', "line 1: the name has U+001B U+005B; letters"),
    ],
)
def test_manifests_that_are_refused(bot: Path, text: str | bytes, said: str) -> None:
    """The first thing that is wrong is said, with its line."""
    assert refusal(manifest(bot, text)).startswith(said)


def test_manifests_that_are_no_files(bot: Path) -> None:
    """A FIFO does not make the reader wait, a link is not followed."""
    os.mkfifo(bot / "bot.yaml")
    assert refusal(bot) == "not a regular file"
    (bot / "bot.yaml").unlink()
    (bot / "bot.yaml").symlink_to("/dev/zero")
    assert refusal(bot).startswith("cannot be read: ")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Tom's", "U+0027"),
        ("<script>", "U+003C U+003E"),
        ('"onmouseover=', "U+0022 U+003D"),
        ("../../x", "U+002F"),
        ("a\nb", "U+000A"),
        ("a\u202eb", "U+202E"),
        ("a\u200bb", "U+200B"),
        ("a\u00a0b", "U+00A0"),
        ("a" * 10_000, "10,000 characters"),
        ("", "empty"),
        ("   ", "empty"),
        (" a", "begins or ends with a space"),
        ("\u0301a", "U+0301"),
    ],
)
def test_names_that_are_refused(name: str, problem: str) -> None:
    """The code points that may not be in a name are shown."""
    assert problem in (check_name(name) or "")


@pytest.mark.parametrize("name", ["A", "Bot_2.0-x", "Ärger im Büro", "हिन्दी", "名前", "x" * 40])
def test_names_that_are_taken(name: str) -> None:
    """Letters of any script, digits, spaces and - _ . make a name."""
    assert check_name(name) is None


def test_a_name_is_normalised(bot: Path) -> None:
    """Letter and mark become one character where there is one."""
    assert load_bot(manifest(bot, "name: 'o\u0308'\n")).name == "ö"


def test_ids(bot: Path, tmp_path: Path) -> None:
    """An id comes from the tournament file, the directory, the stem, or for bot.py its directory."""
    assert entrant_id(bot) == "my-bot"
    assert entrant_id(bot / "bot.py") == "my-bot"
    (bot / "Other One.py").touch()
    assert entrant_id(bot / "Other One.py") == "other-one"
    assert entrant_id(bot, "Key!") == "key"
    for given in ("", "!!", "x" * 41):
        with pytest.raises(EntrantError, match="1 to 40 are allowed"):
            entrant_id(bot, given)


def test_paths_that_are_no_bots(tmp_path: Path) -> None:
    """A missing path, a FIFO and a loop of links are refused at once."""
    assert refusal(tmp_path / "none") == "no such file or directory"
    os.mkfifo(tmp_path / "fifo")
    assert refusal(tmp_path / "fifo") == "neither a directory nor a regular file"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(EntrantError):
        load_bot(tmp_path / "loop")


def test_an_error_can_cross_processes(tmp_path: Path) -> None:
    """It is the same after pickling."""
    error = EntrantError(tmp_path, "x", "build")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == f"{tmp_path}: build: x"
    assert str(error.fault) == "build: x"
