-- A game's environment: a label.
alter table games add column environment text not null default 'production'
  constraint games_environment check (environment in ('production', 'staging', 'development'));

-- The scope `test`: a key that submits test scores only.
alter table api_keys drop constraint api_keys_scopes,
  add constraint api_keys_scopes check (cardinality(scopes) > 0 and scopes <@ array['read', 'submit', 'test', 'moderate', 'configure', 'people']) not valid;
