-- Times of a run at points that its game names by their number, milliseconds from its start. Null: the game sent none.
alter table runs add column splits integer[];

-- A run with its splits, as `write_submissions` takes it. `run_write` stays for processes of the previous release.
create type split_run_write as (
  board_id uuid, event_seq bigint, ticket uuid, started_at timestamptz, elapsed_ms bigint, idle_ms bigint, run_ms bigint, advance boolean,
  attempt smallint, seed integer, game_version text, fault text, splits integer[]);

-- Visitors see splits where the board says so.
alter table boards drop constraint boards_public_fields,
  add constraint boards_public_fields check (public_fields <@ array['date', 'gap', 'country', 'platform', 'metadata', 'history', 'splits']);
alter table board_templates drop constraint board_templates_public_fields,
  add constraint board_templates_public_fields
    check (public_fields <@ array['date', 'gap', 'country', 'platform', 'metadata', 'history', 'splits']);
