-- Held runs (docs/decisions/held-runs.md): flagged runs that would reach the first `hold_top` ranks of their board wait for a review, ranked
-- nowhere, for `hold_hours` at most (null: without end).
alter table boards
  add column hold_top integer not null default 0 constraint boards_hold_top check (hold_top between 0 and 100),
  add column hold_hours integer default 48 constraint boards_hold_hours check (hold_hours between 1 and 8760);
alter table board_templates
  add column hold_top integer not null default 0 constraint board_templates_hold_top check (hold_top between 0 and 100),
  add column hold_hours integer default 48 constraint board_templates_hold_hours check (hold_hours between 1 and 8760);

-- Each of these allows more than its predecessor. Not checked for the rows that are there, which are many.
alter table score_events drop constraint score_events_disposition,
  add constraint score_events_disposition check (disposition in ('accepted', 'flagged', 'held', 'rejected')) not valid;
alter table rulings drop constraint rulings_effect,
  add constraint rulings_effect check (effect in ('exclude', 'hold', 'include', 'review')) not valid;
alter table entries drop constraint entries_status, drop constraint entries_rejected_hidden,
  add constraint entries_status check (status in ('active', 'under_review', 'provisional', 'rejected')) not valid,
  add constraint entries_hidden check (ranked = (status not in ('provisional', 'rejected'))) not valid;

-- One row for each event with the disposition `held`: until when it is held while a flag of the checks is pending, and that this has ended.
create table held_runs (
  board_id    uuid not null,
  event_seq   bigint not null,
  -- The rank it would have had when it was submitted.
  rank        integer not null,
  created_at  timestamptz(3) not null,
  -- Null: no end.
  ends_at     timestamptz(3),
  -- From then on no review holds it again.
  ended_at    timestamptz(3),
  primary key (board_id, event_seq)
);
create index held_runs_due on held_runs (ends_at) where ended_at is null;
