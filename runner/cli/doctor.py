"""`ohhell doctor`: tells what this machine offers."""

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click
from rich.text import Text

from runner.cli import COMMANDS
from runner.doctor.finding import Finding
from runner.doctor.languages import examine_languages
from runner.doctor.machine import examine_machine
from runner.doctor.places import examine_place, examine_run
from runner.terminal import console
from runner.terminal.doctor import finding_lines
from runner.text import plural

JSON_VERSION = 1
EXIT_PROBLEM = 1
EPILOG = """\b
The JSON of --json is one object: version 1, ok (false if there is a problem)
and findings: group, name, status (ok, note or problem), found, advice.

\b
Examples:
  ohhell doctor
  ohhell doctor runs/quickstart
"""


@click.command(short_help=COMMANDS["doctor"], epilog=EPILOG)
@click.argument("directory", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, version 1.")
def command(directory: Path | None, *, as_json: bool) -> None:
    """Look at what this machine offers to tournaments and their bots, and say what to do about the rest.

    With DIRECTORY, look at that and at the run in it, otherwise at the current directory. The exit code is 1 if
    something needed is missing.
    """
    findings: list[Finding] = []

    def examined() -> Iterator[Finding]:
        for finding in _examine(directory or Path()):
            findings.append(finding)
            yield finding

    if as_json:
        every = [asdict(finding) for finding in examined()]
        ok = all(finding.status != "problem" for finding in findings)
        click.echo(json.dumps({"version": JSON_VERSION, "ok": ok, "findings": every}, indent=1))
    else:
        out = console.out()
        for line in finding_lines(examined()):
            out.print(line)
    problems = sum(finding.status == "problem" for finding in findings)
    if not as_json:
        verdict = f"{plural(problems, 'problem')}: see above." if problems else "Tournaments can be run here."
        out.print(Text(f"\n{verdict}", style="bold red" if problems else "bold green"))
    if problems:
        sys.exit(EXIT_PROBLEM)


def _examine(directory: Path) -> Iterator[Finding]:
    yield from examine_machine()
    yield from examine_languages()
    yield from examine_place(directory.absolute(), "directory")
    yield from examine_place(Path(tempfile.gettempdir()), "temporary directory")
    yield from examine_run(directory)
