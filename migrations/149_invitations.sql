-- Who invited a user, for the mail and the page of the invitation; no reference, because a superadmin's account may be in another cell.
-- And when a user last signed in to the console; until now it was only in keys, which sign-ins replace.
alter table users add column invited_by uuid, add column signed_in_at timestamptz;
update users u set signed_in_at = k.at
from (select user_id, max(created_at) as at from api_keys where is_console group by user_id) k where k.user_id = u.id;
-- Hours in which a mailed code adds a user's first passkey, where passkeys are demanded.
alter table accounts add column passkey_hours smallint not null default 24 check (passkey_hours between 1 and 720);
