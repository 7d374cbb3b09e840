-- Moves of accounts between cells.
alter table accounts
  -- Goes up with every move.
  add column epoch bigint not null default 1,
  add column state text not null default 'serving' constraint accounts_state check (state in ('serving', 'moving'));

-- Journal. The step is written after what it names is done; what follows it can be done again.
create table moves (
  account_id     uuid not null,
  -- The one that the account has when the move is done.
  epoch          bigint not null,
  source         text not null references cells (id),
  target         text not null references cells (id),
  step           text not null constraint moves_step
                 check (step in ('begun', 'copied', 'freezing', 'moved', 'done', 'cleaned', 'cancelled')),
  -- The account's status as it was; the target gives it back.
  status         text,
  frozen_millis  integer,
  failed         text,
  begun_at       timestamptz not null default now(),
  ended_at       timestamptz,
  primary key (account_id, epoch, begun_at)
);
create unique index moves_open on moves (account_id) where step not in ('done', 'cleaned', 'cancelled');
