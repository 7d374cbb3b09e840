-- Templates that make boards at intervals, and what a board knows of the template that made it.

create table board_templates (
  id               uuid primary key,
  account_id       uuid not null,
  game_id          uuid not null,
  name             text collate "C" not null constraint board_templates_name_length check (char_length(name) between 1 and 100 and name = btrim(name)),
  -- Of the boards it makes; null: made from their names.
  slug             text collate "C" constraint board_templates_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) between 2 and 50),
  name_template    text constraint board_templates_name_template_length check (char_length(name_template) between 1 and 200),
  series           text constraint board_templates_series_length check (char_length(series) between 1 and 100),
  repeat_interval  text not null constraint board_templates_interval_form check (repeat_interval ~ '^[1-9][0-9]* (minute|minutes|hour|hours|day|days|week|weeks)$'),
  -- Start of the next window. What is due is told by this column alone, so that any process finds it after any crash.
  next_run_at      timestamptz(3) not null,
  is_active        boolean not null,
  is_published     boolean not null,
  icon             text constraint board_templates_icon_length check (char_length(icon) <= 64),
  unit             text constraint board_templates_unit_length check (char_length(unit) <= 32),
  board_type       text not null,
  sort_direction   text not null constraint board_templates_sort_direction check (sort_direction in ('asc', 'desc')),
  keep_strategy    text not null,
  starts_at        timestamptz(3),
  ends_at          timestamptz(3),
  tags             text[] not null constraint board_templates_tags_count check (cardinality(tags) <= 32),
  config           jsonb not null constraint board_templates_config_object check (jsonb_typeof(config) = 'object'),
  -- How many boards it has made: numbers are never used again, whatever becomes of the boards.
  boards_made      integer not null constraint board_templates_boards_made check (boards_made >= 0),
  -- Of the newest run; null: it went well. Failures since the last success, and when it is tried again after one.
  last_error       text,
  failures         integer not null constraint board_templates_failures check (failures >= 0),
  retry_at         timestamptz(3),
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  deleted_at       timestamptz(3),
  constraint board_templates_game foreign key (game_id, account_id) references games (id, account_id),
  constraint board_templates_in_game unique (id, game_id),
  constraint board_templates_bounds check (starts_at < ends_at),
  constraint board_templates_type check (
    (board_type = 'run_identity' and keep_strategy in ('best', 'first', 'last'))
    or (board_type in ('run_runs', 'counter') and keep_strategy = 'all'))
);
create index board_templates_created on board_templates (created_at desc, id) where deleted_at is null;
create index board_templates_account_created on board_templates (account_id, created_at desc, id) where deleted_at is null;
create index board_templates_game_created on board_templates (game_id, created_at desc, id) where deleted_at is null;
-- In the other orders of the list over all accounts (migrations/009_lists.sql).
create index board_templates_name on board_templates (name, id) where deleted_at is null;
create index board_templates_next_run on board_templates (next_run_at, id) where deleted_at is null;
create index board_templates_updated on board_templates (updated_at desc, id) where deleted_at is null;
create index board_templates_due on board_templates (greatest(next_run_at, retry_at)) where is_active and deleted_at is null;

-- Null on boards that no template's run made, even where somebody linked them to a template by hand.
alter table boards
  add column series_number integer constraint boards_series_number check (series_number >= 1),
  add column period_starts_at timestamptz(3),
  add constraint boards_period check ((series_number is null) = (period_starts_at is null)),
  add constraint boards_template foreign key (created_from_template_id, game_id) references board_templates (id, game_id);
-- A period has one board. A number is given once, also when its board was deleted afterwards.
create unique index boards_template_period_key on boards (created_from_template_id, period_starts_at) where period_starts_at is not null and deleted_at is null;
create unique index boards_template_number_key on boards (created_from_template_id, series_number) where series_number is not null;
create index boards_template_created on boards (created_from_template_id, created_at desc, id) where deleted_at is null;
-- For the expiry of boards.
create index boards_ending on boards (ends_at) where is_active and deleted_at is null and ends_at is not null;
