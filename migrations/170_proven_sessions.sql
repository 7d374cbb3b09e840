-- What tells a player's own proof from a lent device's (docs/decisions/merges.md).

-- When it last proved its player by an account of that one. Null: never.
alter table device_sessions add column proven_at timestamptz(3);

-- True: a device that acted for the player by a code alone added it, so it is no proof that the player may be merged.
alter table player_proofs add column is_lent boolean not null default false;

-- The merged player that the device began on, while it was removed from the one that this counts for. Null: it was not.
alter table devices add column removed_from uuid;
create index devices_removed on devices (removed_from) where removed_from is not null;
