-- Requests for a sign-in are counted by address and by the requester's network, and their codes live side by side: one
-- that somebody else requests ends no other. A registration keeps one live code for an address.

alter table verification_codes
  -- HMAC of address and network; null: made by a process of the version before.
  add column network bytea constraint verification_codes_network_length check (octet_length(network) = 32),
  -- Wrong tries by the browser that requested the code; attempts are those of others.
  add column own_attempts integer not null default 0 constraint verification_codes_own_attempts check (own_attempts between 0 and 5);

drop index verification_codes_live_key;
create unique index verification_codes_live_key on verification_codes (email) where status = 'pending' and type <> 'sign_in';
create index verification_codes_signing_in on verification_codes (email) where status = 'pending' and type = 'sign_in';

-- Ids in the payload of the run that failed: an erasure clears errors of runs about its own player, and no others.
alter table jobs add column last_error_of uuid[];
