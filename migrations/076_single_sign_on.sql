-- Single sign-on with OpenID Connect (docs/decisions/single-sign-on.md).
create table identity_providers (
  id              uuid primary key,
  account_id      uuid not null references accounts (id),
  -- own: the account's issuer; installation: how the account uses that of the settings.
  kind            text collate "C" not null constraint identity_providers_kind check (kind in ('own', 'installation')),
  name            text not null,
  -- Null: of the installation, or not set yet.
  issuer          text,
  client_id       text,
  -- Encrypted.
  sealed_secret   bytea,
  scopes          text not null,
  groups_claim    text not null,
  -- People with an address in one of them become users by signing in.
  domains         text[] collate "C" not null default '{}',
  -- Objects with group and role.
  group_roles     jsonb not null default '[]',
  default_role    text collate "C" not null
    constraint identity_providers_role check (default_role in ('viewer', 'moderator', 'developer', 'admin')),
  -- True: neither mailed codes nor pasted keys open the console.
  only_provider   boolean not null default false,
  -- Keys of users who have not signed in for so many days stop; null: never.
  key_days        integer constraint identity_providers_key_days check (key_days between 1 and 365),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  deleted_at      timestamptz(3)
);
create unique index identity_providers_account_key on identity_providers (account_id) where deleted_at is null;
create index identity_providers_gone on identity_providers (account_id, created_at desc, id) where deleted_at is not null;
create index identity_providers_created on identity_providers (created_at desc, id);
create index identity_providers_domains on identity_providers using gin (domains) where kind = 'installation' and deleted_at is null;

-- Who a person is at an issuer.
create table provider_links (
  id            uuid primary key,
  account_id    uuid not null,
  user_id       uuid not null,
  -- Null: the issuer of the installation.
  provider_id   uuid references identity_providers (id),
  issuer        text not null,
  subject       text not null,
  -- A digest of provider, issuer and subject: the name in the directory.
  subject_key   text collate "C" not null,
  signed_in_at  timestamptz(3),
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  deleted_at    timestamptz(3),
  constraint provider_links_user foreign key (user_id, account_id) references users (id, account_id)
);
create unique index provider_links_subject_key on provider_links (subject_key) where deleted_at is null;
create index provider_links_user_created on provider_links (user_id, created_at, id) where deleted_at is null;
create index provider_links_account on provider_links (account_id);

-- Sessions of the console that an issuer confirmed.
create table provider_sessions (
  key_id          uuid primary key references api_keys (id),
  account_id      uuid not null references accounts (id),
  link_id         uuid not null references provider_links (id),
  -- The issuer's session; null: it names none.
  sid             text,
  -- Encrypted; null: the issuer gave none.
  sealed_refresh  bytea,
  -- While one process asks the issuer.
  leased_until    timestamptz(3),
  created_at      timestamptz(3) not null
);
create index provider_sessions_link on provider_sessions (link_id);
create index provider_sessions_account on provider_sessions (account_id);
create index provider_sessions_created on provider_sessions (created_at);

alter table accounts add column provider_only boolean not null default false;
-- From then on the user's keys are refused, until it signs in again; null: never.
alter table users add column keys_stop_at timestamptz(3);
-- When the issuer is asked whether the session goes on; null: never.
alter table api_keys add column check_due_at timestamptz(3);
