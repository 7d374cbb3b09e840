-- Codes of an address are valid beside each other, whatever they are for, and a network that guesses uses up its own tries alone.
alter table verification_codes
  -- Of each wrong try without the token of its request, the HMAC of address and network: five a network, 25 in all.
  add column wrong_from bytea[] not null default '{}' constraint verification_codes_wrong_from_length check (cardinality(wrong_from) <= 25),
  -- Processes of this release count in wrong_from.
  alter column attempts set default 0;

drop index verification_codes_live_key;
drop index verification_codes_signing_in;
drop index verification_codes_recent;
create index verification_codes_of_address on verification_codes (email, created_at);
