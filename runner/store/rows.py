"""Match results to rows and back."""

import json
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import msgspec

from runner.store.errors import StoreError
from runner.table.results import FaultRecord, GameRecord, HandSummary, MatchResult, Note, SeatResult
from runner.table.summary import MatchSummary, SeatSummary, summarize
from runner.text import escape

_HANDS = msgspec.json.Decoder(list[tuple[int, str | None, tuple[int, ...], tuple[int, ...]]])
_TOTALS = msgspec.json.Decoder(tuple[int, ...])

_GAMES = """
select rotation, decisions, totals, hands, log, dropped, notes
from game left join note using (match, rotation) where match = ? order by rotation
"""
_FAULTS = """
select entrant, seat, rotation, decision, kind, detail, raw, stderr from fault where match = ? order by number
"""
_SEATS = "select entrant, snapshot, total, rank, stand_in from seat where match = ? order by seat"
_SUMMARY = """
select games, hands, entrant, total, rank, stand_in, bids_made,
  (select group_concat(kind, ' ') from (select kind from fault
    where fault.match = match.match and fault.entrant = seat.entrant order by number))
from match join seat using (match) where key = ? order by seat
"""


def storable(text: str) -> str:
    """Return `text` as SQLite can hold it: half a surrogate pair, which a bot may well send, becomes an escape."""
    return text.encode(errors="backslashreplace").decode()


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def write_match(connection: sqlite3.Connection, result: MatchResult) -> bool:
    """Store `result` unless its key has one already; return whether it was stored."""
    summary = summarize(result)
    row = (result.key, result.deal, summary.games, summary.hands, result.decisions)
    cursor = connection.execute(
        "insert or ignore into match(key, deal, games, hands, decisions) values (?, ?, ?, ?, ?)", row
    )
    if cursor.rowcount == 0:
        return False
    match = cursor.lastrowid
    connection.executemany(
        "insert into seat values (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (match, number, seat.entrant, seat.snapshot, seat.total, seat.rank, seat.stand_in, short.bids_made)
            for number, (seat, short) in enumerate(zip(result.seats, summary.seats, strict=True))
        ],
    )
    connection.executemany(
        "insert into game values (?, ?, ?, ?, ?, ?)",
        [(match, g.rotation, g.decisions, _text(g.totals), _hands_text(g), g.log) for g in result.games],
    )
    connection.executemany(
        "insert into note values (?, ?, ?, ?)",
        [
            (match, game.rotation, game.notes_dropped, _notes_blob(game))
            for game in result.games
            if game.notes or game.notes_dropped
        ],
    )
    connection.executemany(
        "insert into fault values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (match, number, f.entrant, f.seat, f.rotation, f.decision, f.kind, storable(f.detail), f.raw, f.stderr)
            for number, f in enumerate(result.faults)
        ],
    )
    return True


def _hands_text(game: GameRecord) -> str:
    return _text([(hand.size, hand.trump, hand.bids, hand.won) for hand in game.hands])


def _notes_blob(game: GameRecord) -> bytes:
    # The standard library's JSON keeps whatever a string may hold.
    return zlib.compress(json.dumps([(note.decision, note.text) for note in game.notes]).encode())


def _match_of(connection: sqlite3.Connection, key: bytes) -> tuple[int, str] | None:
    row: tuple[int, str] | None = connection.execute("select match, deal from match where key = ?", (key,)).fetchone()
    return row


def _game_of(row: tuple[Any, ...], path: Path) -> GameRecord:
    rotation, decisions, totals, hands, log, dropped, notes = row
    try:
        return GameRecord(
            rotation,
            decisions,
            _TOTALS.decode(totals),
            tuple(HandSummary(*hand) for hand in _HANDS.decode(hands)),
            log,
            tuple(Note(*note) for note in json.loads(zlib.decompress(notes))) if notes else (),
            dropped or 0,
        )
    except (ValueError, zlib.error, TypeError) as problem:
        raise StoreError(
            f"{escape(str(path))} holds a game that cannot be read ({escape(str(problem))}). "
            "Restore a copy of the file, or move it away and run again."
        ) from problem


def read_match(connection: sqlite3.Connection, key: bytes, path: Path) -> MatchResult | None:
    """Return the match stored under `key` as it was written, or None."""
    found = _match_of(connection, key)
    if found is None:
        return None
    match, deal = found
    seats = tuple(
        SeatResult(entrant, snapshot, total, rank, bool(stand_in))
        for entrant, snapshot, total, rank, stand_in in connection.execute(_SEATS, (match,))
    )
    faults = tuple(FaultRecord(*row) for row in connection.execute(_FAULTS, (match,)))
    games = tuple(_game_of(row, path) for row in connection.execute(_GAMES, (match,)))
    return MatchResult(key, deal, seats, games, faults)


def read_faults(connection: sqlite3.Connection, key: bytes) -> tuple[FaultRecord, ...]:
    """Return the faults of a match, in the order in which they were written."""
    found = _match_of(connection, key)
    return tuple(FaultRecord(*row) for row in connection.execute(_FAULTS, found[:1])) if found else ()


def read_summary(connection: sqlite3.Connection, key: bytes) -> MatchSummary | None:
    """Return the match stored under `key` in short, or None."""
    rows = connection.execute(_SUMMARY, (key,)).fetchall()
    if not rows:
        return None
    seats = tuple(
        SeatSummary(entrant, total, rank, bool(stand_in), tuple(faults.split()) if faults else (), made)
        for _, _, entrant, total, rank, stand_in, made, faults in rows
    )
    return MatchSummary(key, rows[0][0], rows[0][1], seats)
