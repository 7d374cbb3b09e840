-- Gateways: which cells take new accounts, and where the accounts of addresses will be.
alter table cells
  -- open: takes new accounts; full: takes none; draining: takes none, its accounts are to move away.
  add column state   text not null default 'open' constraint cells_state check (state in ('open', 'full', 'draining')),
  -- Its share of new accounts, relative to the other open cells.
  add column weight  int not null default 1 constraint cells_weight check (weight between 0 and 1000);

-- The codes of an address, and the account that comes of them, are on one cell.
create table placements (
  email_hash  bytea primary key,
  cell        text not null references cells (id),
  expires_at  timestamptz not null
);
create index placements_expired on placements (expires_at);

-- Gateways forget the account's cell. The payload is that of the service's announcements: sender, topic.
create function announce_account() returns trigger language plpgsql as $$
begin
  perform pg_notify('leaderboard_changes', 'directory acc_' || old.id);
  return null;
end $$;
create trigger accounts_changed after update or delete on accounts
  for each row execute function announce_account();
