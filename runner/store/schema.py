"""The tables and views of `run.sqlite`, made to be read by others too.

Match keys and snapshots are SHA-256 hashes as blobs. `match` numbers are local to the file and mean nothing: the
order of the schedule is never stored. Booleans are 0 and 1. Seats count from 0.
"""

APPLICATION_ID = 0x4F484C31  # "OHL1" tells our files from other SQLite databases
VERSION = 1

SCHEMA = """
create table run(k text primary key, v text not null) without rowid;
create table entrant(
  id text primary key,
  entry integer not null unique,        -- order first seen by the run, from 0
  name text not null,
  snapshot blob not null,               -- the current one
  manifest text not null                -- JSON
) without rowid;
create table match(
  match integer primary key,
  key blob not null unique,
  deal text not null,
  games integer not null,
  hands integer not null,               -- over all games
  decisions integer not null            -- over all games
);
create table seat(                      -- one row per entrant: its seat in rotation 0; rotation r adds r
  match integer not null,
  seat integer not null,
  entrant text not null,
  snapshot blob not null,
  total integer not null,               -- points over all games
  rank integer not null,
  stand_in integer not null,
  bids_made integer not null,           -- hands, over all games, whose bid came true
  primary key(match, seat)
) without rowid;
create table game(
  match integer not null,
  rotation integer not null,
  decisions integer not null,
  totals text not null,                 -- JSON, by seat
  hands text not null,                  -- JSON [[size, trump or null, [bids], [won]], ...]
  log blob not null,                    -- runner.record reads it
  primary key(match, rotation)
);
create table note(
  match integer not null,
  rotation integer not null,
  dropped integer not null,
  notes blob not null,                  -- zlib of JSON [[decision, text], ...]
  primary key(match, rotation)
) without rowid;
create table fault(
  match integer not null,
  number integer not null,              -- within the match, from 0
  entrant text not null,
  seat integer not null,
  rotation integer not null,
  decision integer not null,
  kind text not null,
  detail text not null,
  raw blob not null,
  stderr blob not null,
  primary key(match, number)
);
create table attempt(key blob not null, number integer not null, why text not null, primary key(key, number));
create table checkpoint(name text primary key, prefix integer not null, prefix_hash blob not null, state text not null);

create table scheduled(key blob primary key) without rowid;

-- The views look at the matches of the current schedule only: what an edit or a disqualification has replaced is kept.
create view current_match as select match.* from match join scheduled using (key);
create view standings as
  select entrant, count(*) as matches, sum(games) as games,
    1.0 * sum(total) / sum(games) as points_per_game,
    1.0 * sum(bids_made) filter (where not stand_in) / sum(hands) filter (where not stand_in) as bids_made,
    sum(stand_in) as stand_in_matches
  from seat join current_match using (match)
  where exists (select 1 from seat as one where one.match = seat.match and not one.stand_in)
  group by entrant order by points_per_game desc, entrant;
create view head_to_head as
  select a.entrant, b.entrant as opponent, count(*) as matches,
    1.0 * sum(a.total - b.total) / sum(games) as points_per_game_ahead,
    sum(a.rank < b.rank) as ahead, sum(a.rank = b.rank) as level, sum(a.rank > b.rank) as behind
  from current_match join seat as a using (match) join seat as b using (match)
  where a.seat <> b.seat and not a.stand_in and not b.stand_in
  group by a.entrant, b.entrant order by a.entrant, b.entrant;
create view hands as
  select deal, rotation, each.key as hand, json_extract(each.value, '$[0]') as size,
    json_extract(each.value, '$[1]') as trump,
    json_extract(each.value, '$[2]') as bids, json_extract(each.value, '$[3]') as won
  from current_match join game using (match), json_each(game.hands) as each;
create view decisions as
  select deal, rotation, game.decisions from current_match join game using (match);
"""
