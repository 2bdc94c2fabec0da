"""What the doctor found, as a person reads it."""

from collections.abc import Iterable, Iterator

from rich.text import Text

from runner.doctor.finding import Finding
from runner.terminal.layout import indented

_STYLES = {"ok": "green", "note": "yellow", "problem": "bold red"}
_INDENT = " " * 10


def finding_lines(findings: Iterable[Finding]) -> Iterator[Text]:
    """Yield the findings under the headings of their groups, each as soon as it is there."""
    group = None
    for finding in findings:
        if finding.group != group:
            if group is not None:
                yield Text()
            group = finding.group
            yield Text(group, style="bold")
        whole = f"{finding.name}: {finding.found}"
        first, *rest = indented(whole, _INDENT, "  ")
        yield Text.assemble((f"{finding.status:>8}  ", _STYLES[finding.status]), first[len(_INDENT) :])
        yield from map(Text, rest)
        for line in indented(finding.advice, _INDENT + "  ") if finding.advice else ():
            yield Text(line, style="italic")
