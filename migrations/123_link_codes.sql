-- Devices that are linked to a player with a code (docs/decisions/link-codes.md).
alter table devices
  -- The player its sessions act for instead of its own. Null: it isn't linked.
  add column linked_identity_id uuid;
create index devices_linked on devices (linked_identity_id) where linked_identity_id is not null;

-- Codes that link another device to a player: one of each device, for ten minutes, deleted when it is used.
create table link_codes (
  -- HMAC of game and code.
  code_hash       bytea not null primary key,
  account_id      uuid not null,
  identity_id     uuid not null,
  device_id       uuid not null,
  -- The code ends with the session that made it.
  session_id      uuid not null,
  expires_at      timestamptz(3) not null
);
create index link_codes_account on link_codes (account_id);
create index link_codes_identity on link_codes (identity_id);
create index link_codes_device on link_codes (device_id);
create index link_codes_expiry on link_codes (expires_at);
