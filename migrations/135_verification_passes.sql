-- Passes: the stored recordings of a board are sent to the verifier again. Their verdicts have no effect until the pass is applied
-- (docs/decisions/verdicts.md).
create table verification_passes (
  id             uuid not null primary key,
  account_id     uuid not null,
  game_id        uuid not null,
  board_id       uuid not null,
  -- Recordings of runs submitted from then on. Null: all.
  since          timestamptz(3),
  status         text not null constraint verification_passes_status
    check (status in ('sending', 'open', 'applying', 'applied', 'undoing', 'undone', 'cancelled')),
  -- Recordings that are sent, counted when it was requested, and how far it got.
  total          integer not null,
  sent           integer not null,
  sent_upto      bigint not null,
  -- The last number of the board when it was requested.
  upto           bigint not null,
  -- Once applied.
  runs           integer,
  moved          integer,
  podium_before  jsonb,
  podium_after   jsonb,
  -- Why it was not applied.
  failure        text,
  requested_by   uuid not null references users (id),
  applied_by     uuid references users (id),
  undone_by      uuid references users (id),
  applied_at     timestamptz(3),
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null
);
create index verification_passes_board on verification_passes (board_id, created_at);
create index verification_passes_account on verification_passes (account_id, created_at, id);
create index verification_passes_work on verification_passes (id) where status in ('sending', 'applying', 'undoing');
