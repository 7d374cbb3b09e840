-- Prizes (docs/decisions/prizes.md): what the places of a closing are given, and to whom it was given.

-- Every table that a ranking ever had: only added to. A closing names the one that it gives by.
create table prize_tables (
  board_id       uuid not null references boards (id),
  -- Empty: the board's own ranking.
  view_name      text collate "C" not null,
  number         integer not null constraint prize_tables_number check (number >= 1),
  -- As the board's record has it; null: no prizes.
  prizes         jsonb constraint prize_tables_prizes check (jsonb_typeof(prizes) = 'object'),
  -- Rankings that end later are closed by it.
  effective_at   timestamptz(3) not null,
  created_at     timestamptz(3) not null,
  primary key (board_id, view_name, number)
);

-- Null: no prizes.
alter table closings add column prize_number integer;
alter table closings add column prizes_status text collate "C" not null default 'none'
  constraint closings_prizes check (prizes_status in ('none', 'pending', 'granting', 'granted', 'waiting_for_limit', 'held'));
-- Players with an entry, when it was frozen.
alter table closings add column player_count bigint;
-- The rank up to which prizes are granted, and how many there are.
alter table closings add column granted_through integer not null default 0;
alter table closings add column granted_count bigint not null default 0;
-- Somebody let it go on beyond its limits.
alter table closings add column released_at timestamptz(3);
create index closings_granting on closings (frozen_at, board_id, id) where prizes_status = 'granting';

-- Of closings with prizes: the rank by which lines of ranks are given, the first rank of its value, and how many players have that value.
alter table closing_places add column prize_rank integer;
alter table closing_places add column tie_rank integer;
alter table closing_places add column tied integer;

create table rewards (
  board_id        uuid not null,
  -- Made from the names of its closing, its line and its player: a restored backup that closes again gives the same one.
  id              uuid not null,
  account_id      uuid not null references accounts (id),
  game_id         uuid not null,
  closing_id      uuid not null,
  -- The name of the line in the closing's prize table.
  line            text collate "C" not null,
  identity_id     uuid not null,
  is_test         boolean not null,
  rank            integer not null,
  -- Players of equal value who share what this line gives; null: it is one player's.
  shared_by       integer constraint rewards_shared check (shared_by > 1),
  status          text collate "C" not null constraint rewards_status check (status in ('open', 'claimed', 'acknowledged', 'expired', 'revoked')),
  expires_at      timestamptz(3),
  claimed_at      timestamptz(3),
  -- Device session.
  claimed_by      uuid,
  acknowledged_at timestamptz(3),
  -- API key.
  acknowledged_by uuid,
  revoked_at      timestamptz(3),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (board_id, id),
  constraint rewards_claimed check (claimed_at is null or status in ('claimed', 'acknowledged')),
  constraint rewards_acknowledged check ((status = 'acknowledged') = (acknowledged_at is not null)),
  constraint rewards_revoked check ((status = 'revoked') = (revoked_at is not null))
);
create unique index rewards_id on rewards (id);
create unique index rewards_once on rewards (board_id, closing_id, line, identity_id);
create index rewards_closing on rewards (board_id, closing_id, status);
create index rewards_identity on rewards (identity_id, is_test, status, created_at desc, id);
create index rewards_expiry on rewards (expires_at) where status = 'open' and expires_at is not null;
