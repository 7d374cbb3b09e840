-- Shares of accounts (docs/decisions/shared-slots.md). Receivers whose last answer was slow are sent to from a lane of their own.
alter table webhook_endpoints add column is_slow boolean not null default false;
create index webhook_events_turns on webhook_events (account_id, due_at, occurred_at, id) where dispatched_at is null;

-- Mails of an account (null: of codes, whose account isn't known) are sent in the order of turns, a second apart: those of an account that
-- queues many come after what others queue meanwhile.
alter table mails add column account_id uuid, add column turn_at timestamptz(3);
create index mails_turns on mails (turn_at nulls first, id) where status in ('queued', 'sending');
create index mails_account on mails (account_id, turn_at) where status in ('queued', 'sending');
