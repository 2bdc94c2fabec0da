"""What is advised below a fault: the remedy where there is a usual one, nothing else."""

import pytest

from runner.protocol.lines import read_bid
from runner.table.results import FaultRecord
from runner.terminal.faults import fault_lines


def told(kind: str, detail: str, raw: bytes = b"") -> list[str]:
    return [line.plain for line in fault_lines(FaultRecord("ann", 0, 0, 3, kind, detail, raw, b""))]


@pytest.mark.parametrize(
    ("kind", "detail", "raw", "advice"),
    [
        ("timeout", "nothing received, 1,000 ms allowed", b"", "flushed"),
        ("timeout", "start: no ready (partial line of 32 bytes, 5,000 ms allowed)", b"{", "flushed"),
        ("garbage", "not one JSON object: …", b"thinking", "standard error"),
        ("illegal", read_bid(b'{"id":7,"bid":"1"}', 7, [0, 1]).detail, b"", "without quotes"),
    ],
)
def test_the_usual_remedy(kind: str, detail: str, raw: bytes, advice: str) -> None:
    """The commonest mistakes are told how to mend them."""
    assert advice in told(kind, detail, raw)[-1]


@pytest.mark.parametrize(
    ("kind", "detail", "raw"),
    [
        ("timeout", "used 700 ms of CPU, 500 ms allowed", b""),
        ("garbage", "reply without bid", b'{"id":7}'),
        ("illegal", "bid 9 is not one of 0 1", b""),
        ("died", "exit status 1", b""),
    ],
)
def test_no_advice_that_misleads(kind: str, detail: str, raw: bytes) -> None:
    """Where the detail says it all nothing follows."""
    lines = told(kind, detail, raw)
    assert lines[0] == f"  {kind}: {detail}"
    assert not [line for line in lines[1:] if "it wrote" not in line]
