-- Views: further rankings of a board's submissions, by period, by tags, or both (docs/decisions/views.md). A ranking is a negative
-- number in the `generation` column of entries, rank_runs, rank_tops and ratio_places; the board's own generations are positive.

-- Declaration. `tags` of a board are labels of its record; `dimensions` are the tags that submissions may carry:
-- [{name, source, setBy, values}], as they were declared.
alter table boards
  add column time_zone text not null default 'UTC',
  add column week_start text not null default 'monday' constraint boards_week_start
    check (week_start in ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday')),
  add column day_start text not null default '00:00' constraint boards_day_start check (day_start ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  add column dimensions jsonb not null default '[]' constraint boards_dimensions_list check (jsonb_typeof(dimensions) = 'array'),
  add column tie_policy text not null default 'earliest' constraint boards_tie_policy
    check (tie_policy in ('earliest', 'latest', 'competition', 'dense'));
-- A template's boards get its views: `views` are the inputs as they were given.
alter table board_templates
  add column time_zone text not null default 'UTC',
  add column week_start text not null default 'monday' constraint board_templates_week_start
    check (week_start in ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday')),
  add column day_start text not null default '00:00' constraint board_templates_day_start
    check (day_start ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  add column dimensions jsonb not null default '[]' constraint board_templates_dimensions_list check (jsonb_typeof(dimensions) = 'array'),
  add column tie_policy text not null default 'earliest' constraint board_templates_tie_policy
    check (tie_policy in ('earliest', 'latest', 'competition', 'dense')),
  add column views jsonb not null default '[]' constraint board_templates_views_list check (jsonb_typeof(views) = 'array');

create table board_views (
  board_id      uuid not null references boards (id),
  -- From board_rankings.newest_view, never used again.
  view_no       integer not null constraint board_views_number check (view_no >= 1),
  name          text collate "C" not null constraint board_views_name_form check (name ~ '^[a-z][a-z0-9_]{0,31}$'),
  -- Null: all time.
  period        text constraint board_views_period check (period in ('day', 'week', 'month', 'quarter', 'year', 'every', 'seasons')),
  -- Of `every`: its length, and the local date on which number 0 begins.
  every_days    integer constraint board_views_every 
                check ((every_days is null) = (period is distinct from 'every') and every_days >= 1),
  epoch         date,
  -- Of `seasons`: [{name, startsAt, endsAt}], ascending.
  seasons       jsonb,
  -- Names of tags: `country`, `platform`, dimensions of the board. In the order in which group keys have their values.
  by_tags       text[] not null default '{}' constraint board_views_by_tags check (cardinality(by_tags) <= 4),
  -- The calendar of periods to come; null: the board's.
  time_zone     text,
  week_start    text,
  day_start     text,
  tie_policy    text not null default 'earliest' constraint board_views_tie_policy
                check (tie_policy in ('earliest', 'latest', 'competition', 'dense')),
  -- Number of closed periods whose rankings are kept; null: all. Of what is dropped, this many places.
  keep_periods  integer constraint board_views_keep_periods check (keep_periods >= 0),
  keep_podium   integer not null default 3 constraint board_views_keep_podium check (keep_podium between 0 and 100),
  -- Rankings of one period; a submission with a further combination of tags is not ranked.
  most_groups   integer not null default 10000 constraint board_views_most_groups check (most_groups >= 1),
  -- Periods that ended by then are not ranked; null: all of the board's history is.
  since         timestamptz(3),
  status        text not null constraint board_views_status check (status in ('building', 'live', 'dropping')),
  -- While it is built: {phase, after, done, all, seq}. Null: live, or to begin anew.
  build         jsonb,
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  primary key (board_id, view_no)
);
-- A view that is being dropped gives its name free.
create unique index board_views_name on board_views (board_id, name) where status <> 'dropping';
create index board_views_unfinished on board_views (board_id, view_no) where status <> 'live';

-- Periods as instants, written once and ahead of time: two calendars may differ, and a changed zone moves no past period.
-- starts_at <= t < ends_at. Numbers ascend with time; they are positive.
create table view_periods (
  board_id   uuid not null,
  view_no    integer not null,
  number     integer not null constraint view_periods_number check (number >= 1),
  key        text collate "C" not null,
  starts_at  timestamptz(3) not null,
  ends_at    timestamptz(3) not null,
  primary key (board_id, view_no, number),
  foreign key (board_id, view_no) references board_views (board_id, view_no) on delete cascade,
  constraint view_periods_bounds check (starts_at < ends_at)
);
create unique index view_periods_key on view_periods (board_id, view_no, key);
create unique index view_periods_start on view_periods (board_id, view_no, starts_at);

-- A ranking begins with its first submission; one without a row is empty.
create table rankings (
  board_id       uuid not null,
  -- Public and stable. Negative, from board_rankings.newest_ranking, never used again.
  ranking_no     integer not null constraint rankings_number check (ranking_no < 0),
  view_no        integer not null,
  -- 0: all time.
  period_number  integer not null,
  -- The values of the view's tags, in their order, with a comma between them; empty: the view has no tags.
  group_key      text collate "C" not null,
  -- The number that its entries have: its own, or another one after a rebuild, from the same sequence.
  generation     integer not null constraint rankings_generation check (generation < 0),
  -- The number of its entries in the board's generation under construction.
  next_generation integer constraint rankings_next_generation check (next_generation < 0),
  -- `building`: belongs to a view that is not live yet. `dropped`: podium and total are all that is left.
  status         text not null constraint rankings_status check (status in ('building', 'live', 'dropped')),
  podium         jsonb,
  total_at_drop  bigint,
  dropped_at     timestamptz(3),
  primary key (board_id, ranking_no)
);
create unique index rankings_key on rankings (board_id, view_no, period_number, group_key);

alter table board_rankings
  add column newest_ranking integer not null default 0 constraint board_rankings_newest_ranking check (newest_ranking <= 0),
  add column newest_view integer not null default 0 constraint board_rankings_newest_view check (newest_view >= 0);

-- The declared tags of a submission as they were then: {class: "mage"}; of boards with a view by platform {platform}, too (null:
-- unknown). Null: none.
alter table score_events add column tags jsonb;

-- Rows as `write_submissions` takes them beside those of 025_lean_writes.sql.
-- An event with its tags.
create type tagged_event_write as (
  board_id uuid, seq bigint, id uuid, account_id uuid, game_id uuid, identity_id uuid, device_id uuid, is_test boolean,
  amount float8, player_name text, value_display text, metadata jsonb, disposition text, source text, city text,
  country text, timezone text, replaced_key float8, replaced_seq bigint, created_at timestamptz, tags jsonb);
-- A ranking that begins.
create type ranking_write as (
  board_id uuid, ranking_no integer, view_no integer, period_number integer, group_key text);
-- What rankings are found by.
create type ranking_probe as (
  board_id uuid, view_no integer, period_number integer, group_key text);
-- A submission's entries are looked up in the ranking `first`, then in `rest`; not where `implied`, unless it beats the one in `first`.
create type view_probe as (
  n integer, board_id uuid, is_test boolean, slot uuid, rank_key float8, first integer, rest integer[], implied boolean[]);

-- Rows of views are in neither of these indexes. Where there are rows already, the indexes stay as they are: they are correct, and
-- rebuilding them here would keep submissions waiting (docs/operations/upgrade.md has the statements for large installations).
do $$
begin
  if not exists (select from entries) then
    drop index entries_id;
    create index entries_id on entries (id) where generation > 0;
    drop index entries_created;
    create index entries_created on entries (board_id, generation, is_test, created_at desc, id) where generation > 0;
    -- The primary key stays the newest index of the table (002_score_plane.sql).
    alter table entries drop constraint entries_pkey;
    alter table entries add primary key (board_id, generation, is_test, slot);
  end if;
end $$;
