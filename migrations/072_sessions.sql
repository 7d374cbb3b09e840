-- Sessions of the console, and passkeys (docs/decisions/sign-in.md). A session is a key with is_console: how it was made and from where is kept
-- with it. Null: of an earlier version, or not known.
alter table api_keys
  add column signed_in_with text constraint api_keys_signed_in_with check (signed_in_with in ('code', 'passkey', 'provider')),
  add column signed_in_from text,
  add column signed_in_agent text;
create index api_keys_sessions on api_keys (user_id, created_at desc, id) where is_console and status = 'active' and deleted_at is null;
create index api_keys_signed_in on api_keys (created_at) where signed_in_from is not null or signed_in_agent is not null;

create table passkeys (
  id             uuid primary key,
  account_id     uuid not null,
  user_id        uuid not null,
  name           text not null constraint passkeys_name_length check (char_length(name) between 1 and 64),
  credential_id  bytea not null constraint passkeys_credential_length check (octet_length(credential_id) between 1 and 1023),
  public_key     bytea not null,
  -- Of the authenticator; those that are synced keep it at 0.
  sign_count     bigint not null,
  transports     text[] not null,
  is_synced      boolean not null,
  last_used_at   timestamptz(3),
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  deleted_at     timestamptz(3),
  constraint passkeys_user foreign key (user_id, account_id) references users (id, account_id)
);
create unique index passkeys_credential_key on passkeys (credential_id) where deleted_at is null;
create index passkeys_user_created on passkeys (user_id, created_at, id) where deleted_at is null;
create index passkeys_account on passkeys (account_id);

-- Challenges are sealed and not stored; each that was answered is, until it is too old anyway.
create table used_challenges (
  id          uuid primary key,
  account_id  uuid not null references accounts (id),
  expires_at  timestamptz(3) not null
);
create index used_challenges_account on used_challenges (account_id);
create index used_challenges_expiry on used_challenges (expires_at);

-- Since when the account demands passkeys of moderators and above; null: it does not.
alter table accounts add column passkeys_demanded_at timestamptz(3);
-- From when a mailed code adds the first passkey of a user, for a day, where passkeys are demanded; null: from its creation.
alter table users add column passkeys_due_from timestamptz(3);
