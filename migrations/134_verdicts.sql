-- Verdicts of a studio's verifier on runs with recordings (docs/decisions/verdicts.md). Null: no run is verified.
-- Members: src/boards/verdicts/settings.ts.
alter table boards add column verdicts jsonb constraint boards_verdicts check (jsonb_typeof(verdicts) = 'object');
alter table board_templates add column verdicts jsonb constraint board_templates_verdicts check (jsonb_typeof(verdicts) = 'object');

-- From when a flag is for people: a verifier may clear it before. Null: at once.
alter table score_flags add column people_from timestamptz(3);
-- Not checked for the rows that are there, which may be many: it allows more than its predecessor.
alter table score_flags drop constraint score_flags_type,
  add constraint score_flags_type
    check (flag_type in ('rate_limit', 'velocity', 'duplicate', 'progression', 'outlier', 'clock', 'recording', 'verdict', 'manual')) not valid;

-- Set: the review follows from verdicts, the nil uuid from those on stored runs, else from those of a pass.
alter table flag_reviews add column pass_id uuid;
create index flag_reviews_pass on flag_reviews (pass_id, board_id) where pass_id is not null;

alter table api_keys drop constraint api_keys_scopes,
  add constraint api_keys_scopes
    check (cardinality(scopes) > 0 and scopes <@ array['read', 'submit', 'players', 'test', 'moderate', 'verify', 'configure', 'people']) not valid;

-- One verdict of a verifier on a run, in each pass.
create table verdicts (
  board_id    uuid not null,
  event_seq   bigint not null,
  -- The nil uuid: the run was sent when its recording was stored.
  pass_id     uuid not null,
  verifier    text not null constraint verdicts_verifier check (length(verifier) between 1 and 64),
  id          uuid not null,
  account_id  uuid not null,
  verdict     text not null constraint verdicts_verdict check (verdict in ('verified', 'rejected', 'unknown')),
  reason      text,
  version     text,
  -- Of the board when it was given: what it could do to the run's flag.
  mode        text not null constraint verdicts_mode check (mode in ('log', 'hold', 'decide')),
  given_by    uuid not null references users (id),
  created_at  timestamptz(3) not null,
  -- All verdicts of its verifier were taken back; it has no effect any more.
  undone_at   timestamptz(3),
  primary key (board_id, event_seq, pass_id, verifier)
);
create index verdicts_created on verdicts (board_id, created_at);
create index verdicts_pass on verdicts (pass_id, board_id, event_seq) where pass_id <> '00000000-0000-0000-0000-000000000000';
