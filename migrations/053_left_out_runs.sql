-- A view has a limit of groups (`most_groups`). Groups without entries are freed, and a group that begins takes in the runs that were left
-- out while the view was full (docs/decisions/views.md).

-- Players with runs in a group that had no place: a ranking of it begins with their entries. Rows of groups that nobody plays in any more
-- are harmless: entries are derived from events.
create table left_out_runs (
  board_id       uuid not null,
  view_no        integer not null,
  period_number  integer not null,
  group_key      text collate "C" not null,
  identity_id    uuid not null references identities (id),
  primary key (board_id, view_no, period_number, group_key, identity_id),
  foreign key (board_id, view_no) references board_views (board_id, view_no) on delete cascade
);
create index left_out_runs_identity on left_out_runs (identity_id);

-- Since when a ranking by tags is known to have no entries; infinity: upkeep has yet to look (`free_groups`), as at each one that has begun;
-- null: it had some. A default and no rewrite, so that rankings from before are looked at, too.
alter table rankings add column empty_since timestamptz(3) default 'infinity';
create index rankings_empty on rankings (empty_since, board_id) where empty_since is not null and status = 'live';

-- Visitors see the metadata of scores where the board says so.
alter table boards drop constraint boards_public_fields,
  add constraint boards_public_fields check (public_fields <@ array['date', 'gap', 'country', 'platform', 'metadata']);
alter table board_templates drop constraint board_templates_public_fields,
  add constraint board_templates_public_fields check (public_fields <@ array['date', 'gap', 'country', 'platform', 'metadata']);
