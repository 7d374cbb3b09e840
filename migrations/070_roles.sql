-- Roles of users and scopes of API keys (docs/decisions/rights.md). Existing users are administrators of all games; existing keys keep all rights
-- of their users.
alter table users
  add column role text not null default 'admin' constraint users_role check (role in ('viewer', 'moderator', 'developer', 'admin')),
  -- Null: all games of the account.
  add column game_ids uuid[] constraint users_game_ids check (cardinality(game_ids) > 0);

alter table api_keys
  -- Null: all rights of the user's role.
  add column scopes text[] constraint api_keys_scopes check (cardinality(scopes) > 0 and scopes <@ array['read', 'submit', 'moderate', 'configure', 'people']),
  -- The only game it acts in; null: all games of the user.
  add column only_game_id uuid,
  add column last_used_from text;
