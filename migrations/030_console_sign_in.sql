-- Codes that sign a user in to the console, beside those of registrations: one live code of each of the two for an address.

alter table verification_codes
  drop constraint verification_codes_type,
  add constraint verification_codes_type check (type in ('registration', 'invite', 'sign_in')),
  drop constraint verification_codes_user,
  -- A code for an address without a user that may sign in is withheld.
  add constraint verification_codes_user check (case type
    when 'registration' then user_id is null
    when 'invite' then user_id is not null
    else user_id is not null or withheld end),
  drop constraint verification_codes_used,
  -- A sign-in is complete at once: no token lies between code and key.
  add constraint verification_codes_used check ((status = 'used') = (used_at is not null)
    and (status = 'used' and type <> 'sign_in') = (token_hash is not null)
    and (token_hash is null) = (token_expires_at is null) and (completed_at is null or status = 'used'));

drop index verification_codes_live_key;
create unique index verification_codes_live_key on verification_codes (email, (type = 'sign_in')) where status = 'pending';

-- Keys of sign-ins to the console: at most five of a user work at a time.
alter table api_keys add column is_console boolean not null default false;
create index api_keys_console on api_keys (user_id, created_at) where is_console and status = 'active';
