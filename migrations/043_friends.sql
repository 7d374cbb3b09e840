-- Friends: the lists that game servers store, one row a friend, and where a board takes friends from.
create table friend_lists (
  identity_id  uuid not null references identities (id),
  friend_id    uuid not null references identities (id),
  created_at   timestamptz(3) not null,
  primary key (identity_id, friend_id),
  constraint friend_lists_another check (friend_id <> identity_id)
);
-- The lists that a player stands in: an erasure takes it out of them.
create index friend_lists_friend on friend_lists (friend_id);

alter table boards
  add column friends_from text not null default 'client' constraint boards_friends_from check (friends_from in ('client', 'server'));
alter table board_templates
  add column friends_from text not null default 'client' constraint board_templates_friends_from check (friends_from in ('client', 'server'));
