-- Present names (docs/decisions/names.md): where a board keeps one entry for each player it shows the player's name, and a rename
-- reaches every such entry in the background (migrations/functions/9_names.sql).

-- True: submissions do not change the name.
alter table identities add column name_locked boolean not null default false;
-- The import that made the player: its later rows may give another name.
alter table identities add column made_by uuid;

-- The name that rankings show for this run instead of the one it was submitted with; null: that one. Where a board keeps one entry for
-- each player, it counts for test runs alone.
alter table score_events add column shown_name text;
alter table score_events add constraint score_events_shown_name_length check (char_length(shown_name) <= 64) not valid;

-- Players whose boards have yet to show a new name.
create table renames_due (
  identity_id  uuid primary key references identities (id),
  -- Goes up with every rename: a pass over the boards is finished only if nothing has changed since.
  ticket       bigint not null default 1,
  -- The ticket that all boards have followed once. A second look a minute later finds entries of submissions that were decided before
  -- the rename and written after the first look.
  followed     bigint not null default 0,
  -- Renames by administrators that runs have yet to follow, in order: {ticket, was, name}; `was` null: all runs.
  steps        jsonb not null default '[]',
  passed_at    timestamptz(3) not null default 'epoch',
  due_at       timestamptz(3) not null
);
create index renames_due_at on renames_due (due_at);

-- Boards from before, whose entries are still to be compared with the present names: from this player on.
create table names_due (
  board_id    uuid primary key references boards (id),
  after_slot  uuid not null default '00000000-0000-0000-0000-000000000000'
);
insert into names_due (board_id) select b.id from boards b where b.board_type not in ('run_runs', 'ratio');

-- True: the import names all its players, not only those whose name is still their key.
alter table score_imports add column rename boolean not null default false;
-- Of exports: the name that the ranking shows for a run, and the player's present name.
alter table import_rows add column shown_name text, add column present_name text;

-- A copy of a board has its events in the order of the source's numbers, which decide between equal values; imports that were begun
-- before go on in the order of time.
alter table score_imports add column by_seq boolean not null default false;
create index import_rows_seq on import_rows (import_id, hint, at, chunk, line);
