"""The store gives back what was written, once per key, small and in order."""

import itertools
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.store.store import Store, StoredEntrant
from runner.table.results import FaultRecord, GameRecord, HandSummary, MatchResult, Note, SeatResult
from runner.table.summary import SeatSummary, summarize

from .conftest import key_of, make_faulty, make_result

TEXT = st.text(st.characters(exclude_categories=()), max_size=20)


def test_a_match_comes_back_as_it_was_written(store: Store) -> None:
    """Games, hands, logs, notes with half a surrogate pair and a NUL, and faults with raw bytes."""
    plain, faulty = make_result(1), make_faulty(2)
    assert store.write([plain, faulty]) == 2
    assert store.result(plain.key) == plain
    assert store.result(faulty.key) == faulty


def test_what_is_not_there_is_none(store: Store) -> None:
    """An unknown key is no error."""
    store.write([make_result(1)])
    assert store.result(key_of(9)) is None
    assert not store.has(key_of(9))
    assert store.get("name") is None
    assert store.checkpoint("trueskill") is None
    assert store.attempts(key_of(1)) == ()
    assert list(store.summaries([key_of(9)])) == list(store.faults([key_of(9)])) == []


HANDS = st.builds(
    HandSummary,
    st.integers(1, 17),
    st.sampled_from([None, "C", "D", "H", "S"]),
    st.tuples(*[st.integers(0, 17)] * 3),
    st.tuples(*[st.integers(0, 17)] * 3),
)
NOTES = st.lists(st.builds(Note, st.integers(0, 999), TEXT), max_size=3).map(tuple)
GAMES = st.builds(
    GameRecord,
    st.just(0),
    st.integers(0, 999),
    st.tuples(*[st.integers(-999, 999)] * 3),
    st.lists(HANDS, min_size=1, max_size=3).map(tuple),
    st.binary(max_size=40),
    NOTES,
    st.integers(0, 9),
)
SEATS = st.tuples(
    *[
        st.builds(
            SeatResult,
            st.just(entrant),
            st.binary(min_size=32, max_size=32),
            st.integers(-999, 999),
            st.integers(1, 3),
            st.booleans(),
        )
        for entrant in "abc"
    ]
)
FAULTS = st.lists(
    st.builds(
        FaultRecord,
        st.sampled_from("abc"),
        st.integers(0, 2),
        st.integers(0, 2),
        st.integers(-1, 999),
        st.sampled_from(["died", "too-long"]),
        st.text(max_size=20),
        st.binary(max_size=20),
        st.binary(max_size=20),
    ),
    max_size=3,
).map(tuple)
RESULTS = st.builds(
    MatchResult, st.binary(min_size=32, max_size=32), st.text(max_size=9), SEATS, st.tuples(GAMES), FAULTS
)


@settings(derandomize=True, max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(result=RESULTS)
def test_any_match_comes_back(store: Store, result: MatchResult) -> None:
    """Whatever the numbers and bytes, reading gives what was written, and the summary that it amounts to."""
    if store.write([result]):
        assert store.result(result.key) == result
        assert list(store.summaries([result.key])) == [summarize(result)]


@pytest.mark.parametrize("text", ["\ud800", "a\x00b", "\u202e", "'; drop table match; --"])
def test_no_text_of_a_bot_breaks_the_store(store: Store, text: str) -> None:
    """Half a surrogate pair is kept as an escape, everything else as it is."""
    fault = FaultRecord("ada", 0, 0, 0, "illegal", text, b"\x00\xff", b"")
    store.write([make_result(1, faults=(fault,))])
    store.see_entrants([StoredEntrant("ada", text, b"", text)])
    store.attempt(key_of(1), text)
    shown = text.replace("\ud800", "\\ud800")
    assert next(store.faults([key_of(1)])) == (key_of(1), replace(fault, detail=shown))
    assert store.entrants() == (StoredEntrant("ada", shown, b"", shown),)
    assert store.attempts(key_of(1)) == (shown,)


def test_the_first_result_of_a_key_stays(store: Store) -> None:
    """A key written twice, later or in one batch, keeps what it had, and the others go in."""
    first, second = make_result(1), replace(make_result(2), key=key_of(1))
    assert store.write([first, second]) == 1
    assert store.write([second, make_result(3)]) == 1
    assert store.result(key_of(1)) == first
    assert sorted(store.keys()) == list(store.keys()) == sorted([key_of(1), key_of(3)])


def test_a_batch_that_fails_leaves_nothing(store: Store) -> None:
    """One result that cannot be stored takes the whole batch with it; the store goes on."""
    broken = make_result(2, deal=object())
    with pytest.raises(Exception, match="object"):
        store.write([make_result(1), broken])
    assert list(store.keys()) == []
    assert store.write([make_result(1)]) == 1


def test_summaries_follow_the_keys_and_can_be_read_again(store: Store) -> None:
    """Order is the caller's, keys that are not stored are passed over, and a second pass gives the same."""
    results = [make_result(1), make_faulty(2), make_result(3, ("x", "y", "z"))]
    store.write(results)
    summaries = store.summaries([key_of(3), key_of(8), key_of(2), key_of(1)])
    assert list(summaries) == [summarize(result) for result in results[::-1]]
    assert list(summaries) == list(summaries)


def test_a_summary_counts_bids_by_entrant_over_the_rotations() -> None:
    """Two hands in two rotations: the entrant at seat i sits at i + 1 in the second game."""
    hands = (HandSummary(1, "H", (1, 0, 0), (1, 0, 0)), HandSummary(2, None, (0, 1, 2), (1, 1, 0)))
    games = tuple(GameRecord(rotation, 9, (0, 0, 0), hands, b"") for rotation in range(2))
    seats = tuple(SeatResult(one, b"", 5, 1, one == "b") for one in "abc")
    faults = tuple(FaultRecord("b", 1, 0, 0, kind, "", b"", b"") for kind in ("garbage", "died"))
    summary = summarize(MatchResult(b"k", "d", seats, games, faults))
    # Seats made 1, 2, 1 of 2 bids in each game; entrant a sits at 0 then 1, b at 1 then 2, c at 2 then 0.
    assert [seat.bids_made for seat in summary.seats] == [1 + 2, 2 + 1, 1 + 1]
    assert (summary.games, summary.hands) == (2, 4)
    assert summary.seats[1] == SeatSummary("b", 5, 1, True, ("garbage", "died"), 3)


def test_faults_come_in_the_order_of_the_keys(store: Store) -> None:
    """The caller's order numbers the faults; within a match they keep theirs."""
    store.write([make_faulty(1), make_result(2), make_faulty(3)])
    found = list(store.faults([key_of(3), key_of(2), key_of(1)]))
    assert [(key, fault.kind) for key, fault in found] == [
        (key_of(3), "illegal"),
        (key_of(3), "died"),
        (key_of(1), "illegal"),
        (key_of(1), "died"),
    ]
    assert found[0][1] == make_faulty(3).faults[0]


def entrant(name: str, version: int = 1) -> StoredEntrant:
    return StoredEntrant(name, name.title(), bytes([version]) * 32, "{}")


def test_entrants_keep_the_order_in_which_they_were_first_seen(store: Store) -> None:
    """One that is left out, edited and added again keeps its place; newcomers follow in the order given."""
    store.see_entrants([entrant("dee"), entrant("ada")])
    store.see_entrants([entrant("zoe"), entrant("ada", 2), entrant("bob")])
    store.see_entrants([entrant("bob"), entrant("dee", 3)])
    assert store.entrants() == (entrant("dee", 3), entrant("ada", 2), entrant("zoe"), entrant("bob"))


def test_values_attempts_and_checkpoints_are_kept(store: Store) -> None:
    """What is set is there, the last one of a name, and attempts are counted."""
    store.set("seed", "42")
    store.set("isolation", "limits only")
    store.set("seed", "43")
    assert store.get("seed") == "43"
    assert store.get("isolation") == "limits only"
    assert [store.attempt(key_of(1), "worker killed"), store.attempt(key_of(1), "stalled")] == [1, 2]
    assert store.attempt(key_of(2), "stalled") == 1
    assert store.attempts(key_of(1)) == ("worker killed", "stalled")
    store.set_checkpoint("trueskill", 3, b"abc", "[]")
    store.set_checkpoint("trueskill", 4, b"def", "{}")
    assert store.checkpoint("trueskill") == (4, b"def", "{}")


def test_a_finished_run_is_one_plain_file_and_is_all_there(tmp_path: Path) -> None:
    """Closing leaves no journal behind, and opening again, to read or to write, finds everything."""
    with Store.create_or_open(tmp_path / "a" / "run") as store:
        store.write([make_result(number) for number in range(5)])
        assert len(list(store.path.parent.iterdir())) > 1
    assert [path.name for path in (tmp_path / "a" / "run").iterdir()] == ["run.sqlite"]
    for opened in (Store.open_readonly(tmp_path / "a" / "run"), Store.create_or_open(tmp_path / "a" / "run")):
        with opened as store:
            assert store.result(key_of(3)) == make_result(3)
            assert len(list(store.keys())) == 5


def test_a_classic_game_takes_at_most_three_kilobytes(tmp_path: Path) -> None:
    """Four players, logs of 1,000 bytes that do not compress, all overhead of the file counted."""
    with Store.create_or_open(tmp_path) as store:
        for first in range(0, 200, 10):
            store.write([make_result(number) for number in range(first, first + 10)])
    assert (tmp_path / "run.sqlite").stat().st_size / (200 * 4) <= 3_000


def test_readers_see_what_a_run_has_stored_so_far(store: Store) -> None:
    """A reader beside the writer sees each batch once it is in, and does not hold the writer up."""
    with Store.open_readonly(store.path.parent) as reader:
        for number in range(3):
            store.write([make_result(number)])
            assert len(list(reader.keys())) == number + 1


def rows(store: Store, query: str) -> list[tuple]:
    """Ask the file as anybody with SQLite would."""

    connection = sqlite3.connect(store.path)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


def test_the_views_say_what_the_results_say(store: Store) -> None:
    """Standings, head to head, hands and decisions, computed here from the results themselves."""
    results = [make_result(number) for number in range(4)]
    store.write(results)
    store.schedule(result.key for result in results)
    points = {seat.entrant: 0 for seat in results[0].seats}
    for seat in itertools.chain(*(result.seats for result in results)):
        points[seat.entrant] += seat.total
    expected = sorted(((entrant, total / 16) for entrant, total in points.items()), key=lambda row: -row[1])
    assert rows(store, "select entrant, points_per_game from standings") == expected
    made = sum(seat.bids_made for result in results for seat in summarize(result).seats if seat.entrant == "ada")
    assert rows(store, "select matches, games, bids_made from standings where entrant = 'ada'") == [
        (4, 16, made / (16 * 19))
    ]
    assert (
        rows(store, "select count(*), sum(ahead), sum(level), sum(behind) from head_to_head where entrant < opponent")[
            0
        ][0]
        == 6
    )
    assert rows(store, "select points_per_game_ahead from head_to_head where entrant='ada' and opponent='bob'") == [
        ((points["ada"] - points["bob"]) / 16,)
    ]
    hand = results[0].games[2].hands[4]
    assert rows(
        store, f"select size, trump, bids from hands where deal='{results[0].deal}' and rotation=2 and hand=4"
    ) == [(hand.size, hand.trump, str(list(hand.bids)).replace(" ", ""))]
    assert rows(store, "select count(*), sum(decisions) from decisions") == [(16, 16 * 357)]


def test_the_views_pass_over_matches_that_are_no_longer_scheduled(store: Store) -> None:
    """What an edit has replaced is kept and not counted."""
    old, new = make_result(1), make_result(2)
    store.write([old, new])
    store.schedule([old.key])
    assert rows(store, "select matches from standings") == [(1,)] * 4
    store.schedule([new.key, key_of(3)])
    assert rows(store, "select distinct deal from decisions") == [(new.deal,)]
    assert store.has(old.key)
