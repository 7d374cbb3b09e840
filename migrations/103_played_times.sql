-- When a run was played, as its client says and its session's age allows (src/submissions/decide/played-at.ts). Null: when it was
-- accepted.
alter table score_events add column played_at timestamptz;

-- An event with that time, as `write_batches` takes it. Its form with `tagged_event_write` stays for processes of the previous release.
create type played_event_write as (
  board_id uuid, seq bigint, id uuid, account_id uuid, game_id uuid, identity_id uuid, device_id uuid, is_test boolean,
  amount float8, player_name text, value_display text, metadata jsonb, disposition text, source text, city text,
  country text, timezone text, replaced_key float8, replaced_seq bigint, created_at timestamptz, tags jsonb, played_at timestamptz);
