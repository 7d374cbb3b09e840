-- Tags of players (docs/decisions/views.md): the present value counts for all of a player's events. These are the values that players
-- have; the ones that a board ranks by are in the tags of its events, and a change reaches each board in a transaction of its own.
create table player_tags (
  identity_id  uuid not null references identities (id),
  name         text collate "C" not null constraint player_tags_name check (name ~ '^[a-z][a-z0-9_]{0,31}$'),
  value        text not null,
  updated_at   timestamptz(3) not null,
  primary key (identity_id, name)
);

-- Players whose boards have yet to follow a change, as identities_due.
create table player_tags_due (
  identity_id   uuid primary key references identities (id),
  -- Another one with every change: a process that finishes deletes the row only if nothing has changed since.
  ticket        uuid not null,
  leased_until  timestamptz(3) not null
);
create index player_tags_due_lease on player_tags_due (leased_until);

-- Names of tags that the board has declared since its first event, by their source; null: none. A name keeps its source, also when
-- it is not declared any more, since events keep the values.
alter table board_rankings
  add column player_tags text[],
  add column submission_tags text[];
update board_rankings r set submission_tags = array(select d ->> 'name' from jsonb_array_elements(b.dimensions) d order by 1)
  from boards b where b.id = r.board_id and b.dimensions <> '[]';
