-- Addresses that their owners proved by a code. The application brings present addresses to their one spelling after this
-- file, at the next start (src/accounts/users/respell-addresses.ts): SQL knows neither punycode nor all of Unicode.

-- Null: not proven. It gives way to the person who proves it.
alter table users add column email_verified_at timestamptz(3);

-- A completed registration and an accepted invitation leave a key of this name; names of keys never change, and deleted keys
-- stay in the table.
update users u set email_verified_at = k.since
from (select user_id, min(created_at) as since from api_keys where name = 'Registration' group by user_id) k
where k.user_id = u.id;
