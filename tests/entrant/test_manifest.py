import os
import pickle
import sys
from pathlib import Path

import pytest

from runner import data
from runner.entrant.errors import EntrantError
from runner.entrant.manifest import Bot, Manifest, check_name, entrant_id, find_bot, load_bot


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
    return str(caught.value).removeprefix(f"{path}: start: ")


def manifest_refusal(path: Path) -> str:
    with pytest.raises(EntrantError) as caught:
        load_bot(path)
    where, sentence = str(caught.value).split(": ", 1)
    return f"{where.removeprefix(f'{path}/bot.yaml:')} {sentence}"


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
    (bot / "-c.py").touch()
    assert load_bot(bot / "-c.py").command == ("python3", "./-c.py")  # a file, not an option
    assert (bare.command, bare.source, bare.directory) == (("python3", "./bot.py"), "bot.py", bot)
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
        ("nmae: x\n", "1:1 There is no key `nmae`. Did you mean `name`?"),
        ("name: x\nenv: {A: b}\n", "2:1 There is no key `env`. The keys here are name, command, build, language, "),
        ("name: x\nname: y\n", "2:1 The key `name` stands here a second time (first at 1:1): remove one."),
        ("name: &a x\nauthor: *a\n", "1:7 `&a` is an anchor, which is not used here: remove it."),
        ("name: x\nauthor: *a\n", "2:9 `*a` is an alias, which is not used here: write the value out."),
        ("--- {}\n--- {}\n", "2:1 A second document begins here: a file holds one."),
        ("name: !!python/name:os.system x\n", "1:7 `!!python/name:os.system` is a tag, which is not used here"),
        ("ignore: [[[[[[x]]]]]]\n", "1:10 `ignore` wants text here, not a list."),
        ("[" * 60_000, "1:17 Lists and mappings are nested more than 16 deep here."),
        ("name: [x\n", "2:1 A comma or the closing `]` is missing here."),
        ("- x\n", "1:1 A manifest is a mapping, with lines such as `name: My bot`, not a list."),
        (b"\xef\xbb\xbfname: x\n", "1:1 The file begins with a byte order mark: save it as UTF-8 without BOM."),
        (b"name: \xff\n", "1:7 The byte 0xff is not UTF-8: save the file as UTF-8."),
        ("name: a\0b\n", "1:8 The file has a \\x00 character here, which cannot be printed: remove it."),
        ('name: "a\\0b"\n', "1:7 The name has U+0000; letters"),
        ('command: "\\ud800"\n', "1:10 An escape here is half of a character (a surrogate): write the character."),
        ("# " + "x" * 70_000, "1:1 The file is larger than 65,536 bytes: make it shorter."),
        ("command: []\n", "1:10 `command` is empty: write a program and its arguments, or leave the key out."),
        ("command: [python3, null]\n", "1:20 `command` wants text here, not nothing."),
        ("command: python3 'bot.py\n", "1:10 `command` cannot be split into words: No closing quotation."),
        ("restart: mach\n", "1:10 `restart` must be never, match or game, not `mach`. Did you mean `match`?"),
        ("limits: 3\n", "1:9 `limits` must be a mapping, not `3`."),
        ("limits: {cpu: 1}\n", "1:10 There is no limit `cpu`. The limits are memory_mb, processes and scratch_mb."),
        ("limits: {memory: 1}\n", "1:10 There is no limit `memory`. Did you mean `memory_mb`?"),
        ("limits: {memory_mb: much}\n", "1:21 `memory_mb` must be a whole number up to 999,999,999, not `much`."),
        ("limits: {memory_mb: true}\n", "1:21 `memory_mb` must be a whole number up to 999,999,999, not `true`."),
        ("limits: {memory_mb: -1}\n", "1:21 `memory_mb` must be a whole number up to 999,999,999, not `-1`."),
        ("ignore: x\n", "1:9 `ignore` must be a list of file names or patterns, not `x`."),
        ("ignore: [x, '../x']\n", "1:13 `ignore` names files of the bot's directory, not `../x`."),
        ("author: [a]\n", "1:9 `author` wants text here, not a list."),
        ('author: "a\\e[31m"\n', "1:9 `author` must be one line of at most 80 printable characters."),
        ('name: "\\e[31mred"\n', "1:7 The name has U+001B U+005B; letters"),
    ],
)
def test_manifests_that_are_refused(bot: Path, text: str | bytes, said: str) -> None:
    """The first thing that is wrong is said, with its line and column."""
    assert manifest_refusal(manifest(bot, text)).startswith(said)


def test_an_empty_manifest_says_nothing(bot: Path) -> None:
    """Neither do keys without a value."""
    for text in ("", "# nothing\n", "name:\ncommand: null\n"):
        assert load_bot(manifest(bot, text)).manifest == Manifest()


def test_manifests_that_are_no_files(bot: Path) -> None:
    """A FIFO does not make the reader wait, a link is not followed."""
    os.mkfifo(bot / "bot.yaml")
    assert manifest_refusal(bot) == "1:1 This is not a regular file."
    (bot / "bot.yaml").unlink()
    (bot / "bot.yaml").symlink_to("/dev/zero")
    assert manifest_refusal(bot).startswith("1:1 The file cannot be read: ")


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


def test_bots_are_found_by_path_and_the_house_s_by_name(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there comes before a house bot of that name; a link keeps its own name."""
    base = bot.parent
    monkeypatch.setattr(data, "house_bots", lambda: ("counter", "random"))
    assert find_bot("My Bot", base) == find_bot("./x/../My Bot/", base) == find_bot(str(bot), Path("/")) == bot
    assert find_bot("random", base) == data.bots_dir() / "random"
    (base / "random").symlink_to(bot)
    assert find_bot("random", base) == base / "random"
    missing = "There is neither a file or directory nor a house bot"
    for word, sentence in {
        "contuer": f"{missing} `contuer`. Did you mean `counter`?",
        "my-bot": f"{missing} `my-bot`. Did you mean `My Bot`?",
        "My Bot/bit.py": f"{missing} `My Bot/bit.py`. Did you mean `bot.py`?",
        "zzz": f"{missing} `zzz`. The house bots are counter and random; paths are relative to `{base}`.",
    }.items():
        with pytest.raises(EntrantError) as caught:
            find_bot(word, base)
        assert caught.value.sentence == sentence


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
    wrong = EntrantError("cup.yaml:1:1", "This is wrong.", None)
    assert str(pickle.loads(pickle.dumps(wrong))) == "cup.yaml:1:1: This is wrong."
