-- Accounts, users, keys, games, boards, players. Every rule that a constraint can hold is held here.
-- Times come from the application's clock (no defaults of time), at the milliseconds that JavaScript keeps.
-- Text that is sorted is COLLATE "C": order and cursors must not depend on the server's locale.
-- Uniqueness counts only records that are not deleted (decisions.md section 1).

create table accounts (
  id          uuid primary key,
  name        text collate "C" not null constraint accounts_name_length check (char_length(name) between 1 and 100),
  slug        text collate "C" not null constraint accounts_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) between 2 and 50),
  status      text not null constraint accounts_status check (status in ('active', 'suspended')),
  city        text,
  country     text constraint accounts_country check (country ~ '^[A-Z]{2}$'),
  timezone    text,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null,
  deleted_at  timestamptz(3)
);
create unique index accounts_name_key on accounts (name) where deleted_at is null;
create unique index accounts_slug_key on accounts (slug) where deleted_at is null;
create index accounts_created on accounts (created_at desc, id) where deleted_at is null;

create table users (
  id            uuid primary key,
  account_id    uuid not null references accounts (id),
  email         text collate "C" not null constraint users_email_form check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and char_length(email) <= 254),
  display_name  text collate "C" not null constraint users_display_name_length check (char_length(display_name) between 2 and 100 and display_name = btrim(display_name)),
  status        text not null constraint users_status check (status in ('invited', 'active', 'suspended')),
  super_admin   boolean not null,
  is_owner      boolean not null,
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  deleted_at    timestamptz(3),
  constraint users_account unique (id, account_id)
);
create unique index users_email_key on users (lower(email)) where deleted_at is null;
create index users_created on users (created_at desc, id) where deleted_at is null;
create index users_account_created on users (account_id, created_at desc, id) where deleted_at is null;

create table api_keys (
  id            uuid primary key,
  account_id    uuid not null,
  user_id       uuid not null,
  name          text collate "C" not null constraint api_keys_name_length check (char_length(name) between 1 and 100),
  -- The public leading part, by which a presented key is found; the rest exists only as an HMAC.
  prefix        text collate "C" not null constraint api_keys_prefix_key unique,
  hash          bytea not null constraint api_keys_hash_length check (octet_length(hash) = 32),
  status        text not null constraint api_keys_status check (status in ('active', 'revoked')),
  last_used_at  timestamptz(3),
  expires_at    timestamptz(3),
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  deleted_at    timestamptz(3),
  -- A key speaks for a user of its own account.
  constraint api_keys_user foreign key (user_id, account_id) references users (id, account_id)
);
create index api_keys_created on api_keys (created_at desc, id) where deleted_at is null;
create index api_keys_account_created on api_keys (account_id, created_at desc, id) where deleted_at is null;

create table games (
  id                  uuid primary key,
  account_id          uuid not null references accounts (id),
  name                text collate "C" not null constraint games_name_length check (char_length(name) between 1 and 100 and name = btrim(name)),
  slug                text collate "C" not null constraint games_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) between 2 and 50),
  description         text constraint games_description_length check (char_length(description) <= 2000),
  page_url            text constraint games_page_url_length check (char_length(page_url) <= 2000),
  platform_app_id     text,
  default_board_id    uuid,
  anti_cheat_enabled  boolean not null,
  tags                text[] not null constraint games_tags_count check (cardinality(tags) <= 32),
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  deleted_at          timestamptz(3),
  constraint games_account unique (id, account_id)
);
create unique index games_name_key on games (account_id, name) where deleted_at is null;
create unique index games_slug_key on games (slug) where deleted_at is null;
create index games_created on games (created_at desc, id) where deleted_at is null;
create index games_account_created on games (account_id, created_at desc, id) where deleted_at is null;

create table boards (
  id                        uuid primary key,
  account_id                uuid not null,
  game_id                   uuid not null,
  name                      text collate "C" not null constraint boards_name_length check (char_length(name) between 1 and 100 and name = btrim(name)),
  slug                      text collate "C" not null constraint boards_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) between 2 and 50),
  short_code                text collate "C" not null constraint boards_short_code_form check (short_code ~ '^[A-Z0-9]{3,16}$'),
  description               text constraint boards_description_length check (char_length(description) <= 2000),
  icon                      text constraint boards_icon_length check (char_length(icon) <= 64),
  unit                      text constraint boards_unit_length check (char_length(unit) <= 32),
  is_active                 boolean not null,
  is_published              boolean not null,
  board_type                text not null,
  sort_direction            text not null constraint boards_sort_direction check (sort_direction in ('asc', 'desc')),
  keep_strategy             text not null,
  starts_at                 timestamptz(3),
  ends_at                   timestamptz(3),
  tags                      text[] not null constraint boards_tags_count check (cardinality(tags) <= 32),
  template_name             text,
  created_from_template_id  uuid,
  created_at                timestamptz(3) not null,
  updated_at                timestamptz(3) not null,
  deleted_at                timestamptz(3),
  constraint boards_game foreign key (game_id, account_id) references games (id, account_id),
  constraint boards_in_game unique (id, game_id),
  constraint boards_bounds check (starts_at < ends_at),
  -- One entry per identity needs a rule which run is kept; every other kind keeps all (decisions.md section 5).
  constraint boards_type check (
    (board_type = 'run_identity' and keep_strategy in ('best', 'first', 'last'))
    or (board_type in ('run_runs', 'counter', 'ratio') and keep_strategy = 'all'))
);
-- A slug is shared over time (a weekly board), but by one active board only.
create unique index boards_slug_key on boards (account_id, game_id, slug) where is_active and deleted_at is null;
create unique index boards_short_code_key on boards (short_code) where deleted_at is null;
create index boards_created on boards (created_at desc, id) where deleted_at is null;
create index boards_account_created on boards (account_id, created_at desc, id) where deleted_at is null;
create index boards_game_created on boards (game_id, created_at desc, id) where deleted_at is null;
create index boards_game_slug on boards (game_id, slug) where deleted_at is null;

alter table games add constraint games_default_board foreign key (default_board_id, id) references boards (id, game_id);

create table identities (
  id            uuid primary key,
  account_id    uuid not null,
  game_id       uuid not null,
  kind          text not null constraint identities_kind check (kind in ('device', 'platform', 'custom')),
  external_key  text collate "C" not null constraint identities_external_key_length check (char_length(external_key) between 1 and 128),
  display_name  text collate "C" not null constraint identities_display_name_length check (char_length(display_name) <= 64),
  -- Null: the tier of the setting applies (decisions.md section 7).
  trust_tier    text constraint identities_trust_tier check (trust_tier in ('a', 'b', 'c')),
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  deleted_at    timestamptz(3),
  constraint identities_game foreign key (game_id, account_id) references games (id, account_id),
  constraint identities_in_game unique (id, game_id)
);
create unique index identities_external_key on identities (game_id, kind, external_key) where deleted_at is null;
create index identities_created on identities (created_at desc, id) where deleted_at is null;
create index identities_account_created on identities (account_id, created_at desc, id) where deleted_at is null;
create index identities_game_created on identities (game_id, created_at desc, id) where deleted_at is null;

create table devices (
  id                  uuid primary key,
  account_id          uuid not null,
  game_id             uuid not null,
  identity_id         uuid not null,
  client_fingerprint  text collate "C" not null constraint devices_fingerprint_length check (char_length(client_fingerprint) between 1 and 128),
  platform            text collate "C" not null constraint devices_platform_length check (char_length(platform) <= 32),
  status              text not null constraint devices_status check (status in ('active', 'banned', 'suspended')),
  metadata            jsonb not null constraint devices_metadata_object check (jsonb_typeof(metadata) = 'object'),
  first_seen_at       timestamptz(3) not null,
  last_seen_at        timestamptz(3) not null,
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  deleted_at          timestamptz(3),
  constraint devices_game foreign key (game_id, account_id) references games (id, account_id),
  constraint devices_identity foreign key (identity_id, game_id) references identities (id, game_id),
  constraint devices_in_game unique (id, game_id)
);
create unique index devices_fingerprint_key on devices (game_id, client_fingerprint) where deleted_at is null;
create index devices_created on devices (created_at desc, id) where deleted_at is null;
create index devices_account_created on devices (account_id, created_at desc, id) where deleted_at is null;
create index devices_game_created on devices (game_id, created_at desc, id) where deleted_at is null;

create table device_sessions (
  id                  uuid primary key,
  account_id          uuid not null,
  game_id             uuid not null,
  device_id           uuid not null,
  identity_id         uuid not null,
  test_mode           boolean not null,
  -- Goes up with every refresh; tokens of an older version are dead.
  version             integer not null constraint device_sessions_version check (version > 0),
  status              text not null constraint device_sessions_status check (status in ('active', 'revoked')),
  expires_at          timestamptz(3) not null,
  refresh_expires_at  timestamptz(3) not null,
  ip_address          text,
  user_agent          text,
  revoked_at          timestamptz(3),
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  deleted_at          timestamptz(3),
  constraint device_sessions_game foreign key (game_id, account_id) references games (id, account_id),
  constraint device_sessions_in_game foreign key (device_id, game_id) references devices (id, game_id),
  constraint device_sessions_identity foreign key (identity_id, game_id) references identities (id, game_id),
  constraint device_sessions_revoked check ((status = 'revoked') = (revoked_at is not null))
);
create index device_sessions_created on device_sessions (created_at desc, id) where deleted_at is null;
create index device_sessions_account_created on device_sessions (account_id, created_at desc, id) where deleted_at is null;
create index device_sessions_game_created on device_sessions (game_id, created_at desc, id) where deleted_at is null;
create index device_sessions_device on device_sessions (device_id, created_at desc, id) where deleted_at is null;
