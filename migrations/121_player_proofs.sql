-- Players who prove who they are (docs/decisions/player-proofs.md).
create table player_providers (
  id              uuid primary key,
  account_id      uuid not null references accounts (id),
  game_id         uuid not null references games (id),
  kind            text collate "C" not null
    constraint player_providers_kind check (kind in ('oidc', 'signed', 'steam', 'game_center', 'play_games', 'discord')),
  slug            text collate "C" not null,
  issuer          text,
  keys_url        text,
  public_key      text,
  audiences       text[] not null default '{}',
  client_id       text,
  redirect_url    text,
  steam_identity  text,
  allow_borrowed  boolean not null,
  -- Encrypted.
  sealed_secret   bytea,
  trust_tier      text collate "C" constraint player_providers_tier check (trust_tier in ('a', 'b', 'c')),
  -- Why the latest refused proof was refused; written at most every few seconds.
  last_refusal    text,
  last_refused_at timestamptz(3),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  deleted_at      timestamptz(3)
);
create unique index player_providers_slug_key on player_providers (game_id, slug) where deleted_at is null;
create index player_providers_account on player_providers (account_id, created_at desc, id) where deleted_at is null;
create index player_providers_game on player_providers (game_id, created_at desc, id) where deleted_at is null;
create index player_providers_gone on player_providers (account_id, created_at desc, id) where deleted_at is not null;
create index player_providers_created on player_providers (created_at desc, id);

-- The accounts at providers that prove a player.
create table player_proofs (
  provider_id     uuid not null references player_providers (id),
  -- The account, as the provider names it.
  subject         text collate "C" not null,
  account_id      uuid not null,
  game_id         uuid not null,
  identity_id     uuid not null references identities (id),
  proven_at       timestamptz(3) not null,
  last_proven_at  timestamptz(3) not null,
  primary key (provider_id, subject)
);
create unique index player_proofs_identity_key on player_proofs (identity_id, provider_id);
create index player_proofs_account on player_proofs (account_id);

-- Devices that have acted for a proven player, so that a ban of one of them holds for its others.
create table proven_devices (
  identity_id     uuid not null,
  device_id       uuid not null,
  account_id      uuid not null,
  last_seen_at    timestamptz(3) not null,
  primary key (identity_id, device_id)
);
create index proven_devices_device on proven_devices (device_id);
create index proven_devices_account on proven_devices (account_id);

-- When it first proved who it is. Null: it has no proof.
alter table identities add column proven_at timestamptz(3);
