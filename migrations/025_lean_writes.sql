-- Submissions are written by `write_submissions` (migrations/functions/2_submissions.sql). What the version before writes with
-- (take_boards, claim_uses, write_batch, reject_submissions, change_rank_counts, derive_states, recent_courses and the column
-- states.recent) stays for processes of that version that run beside the new one; nothing here uses it any more.

-- A change of the counted tree at one key, and where the key lies (rank_place). `n`: number in the caller's list; `d`: entries
-- added there, negative: taken away; `ahead`: entries that stand before the key, null: not counted.
create type rank_change as (
  n integer, board_id uuid, generation integer, is_test boolean, d integer, top_key float8, top_seq bigint, run integer,
  run_key float8, run_seq bigint, leaf integer, ahead bigint);

-- Rows as `write_submissions` and the reading of facts take them (src/scores/submit/write/rows.ts, facts.ts). They are part of those
-- functions' parameters: another column needs another type and another function, and these stay for processes of the version before.
-- A board: what its decisions were made on, and what the batch leaves.
create type board_write as (
  board_id uuid, game_id uuid, found_seq bigint, found_version bigint, found_batch uuid, standings bigint, seq bigint,
  version bigint, newest_batch uuid, at timestamptz);
-- A player whose facts were cached, as they were.
create type player_write as (
  board_id uuid, session_id uuid, version integer, identity_id uuid, name text, tier text);
create type nonce_write as (
  nonce uuid, expires_at timestamptz);
create type event_write as (
  board_id uuid, seq bigint, id uuid, account_id uuid, game_id uuid, identity_id uuid, device_id uuid, is_test boolean,
  amount float8, player_name text, value_display text, metadata jsonb, disposition text, source text, city text,
  country text, timezone text, replaced_key float8, replaced_seq bigint, created_at timestamptz);
-- What the submissions of one player add to its state. Null: nothing.
create type state_write as (
  board_id uuid, is_test boolean, identity_id uuid, id uuid, account_id uuid, game_id uuid, device_id uuid,
  submissions integer, accepted integer, last_event_id uuid, last_value float8, best_value float8,
  rejected_at timestamptz, selected_event_id uuid, value float8, at timestamptz);
create type entry_write as (
  board_id uuid, generation integer, is_test boolean, slot uuid, id uuid, identity_id uuid, event_seq bigint,
  value float8, rank_key float8, seq bigint, status text, player_name text, value_display text, metadata jsonb,
  created_at timestamptz, updated_at timestamptz);
-- A key of the order whose place is requested (`counted`: with the number of entries before it), or where entries are added (`d`).
create type key_write as (
  n integer, board_id uuid, generation integer, is_test boolean, key float8, seq bigint, d integer, counted boolean);
create type name_write as (
  id uuid, name text, at timestamptz);
-- What the facts of submissions are read by: boards with the numbers of their submissions, and submissions.
create type facts_board as (
  board_id uuid, first integer, last integer);
create type facts_key as (
  n integer, identity_id uuid, is_test boolean, amount float8, device_id uuid, session_id uuid, scope uuid, key text,
  nonce uuid);

-- The checks read a player's last hour from its events.
alter table states alter column recent set default '';

-- Nonces carry the time at which they were issued, so the primary key finds the expired ones.
drop index nonce_uses_expiry;
