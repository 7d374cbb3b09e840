-- Sessions that a game server starts for a player (docs/decisions/player-sessions.md).
alter table devices
  -- What the game server calls a device whose sessions it starts. Null: the device starts its own, with client_fingerprint.
  add column label text collate "C" constraint devices_label_length check (char_length(label) between 1 and 128);
create unique index devices_label_key on devices (identity_id, label) where label is not null and deleted_at is null;

-- The user whose key started it, and with whose rights it ends. Null: its device did.
alter table device_sessions add column started_by uuid;
create index device_sessions_started_by on device_sessions (started_by, game_id) where started_by is not null;

alter table api_keys drop constraint api_keys_scopes,
  add constraint api_keys_scopes check (cardinality(scopes) > 0 and scopes <@ array['read', 'submit', 'players', 'test', 'moderate', 'configure', 'people']) not valid;

create function user_standing_changed() returns trigger language plpgsql as $$
begin
  perform count_standings(array(select distinct s.game_id from device_sessions s where s.started_by = new.id));
  return null;
end $$;

create constraint trigger users_standing after update on users deferrable initially deferred for each row
  when (old.deleted_at is distinct from new.deleted_at or old.status <> new.status) execute function user_standing_changed();
