-- Logo and cover of a game: the names of their files, and the files, which were decoded before.
alter table games
  add column logo text constraint games_logo_form check (logo ~ '^[0-9a-f]{64}\.(png|jpg|webp)$'),
  add column cover text constraint games_cover_form check (cover ~ '^[0-9a-f]{64}\.(png|jpg|webp)$');

create table game_pictures (
  game_id    uuid not null references games (id),
  kind       text not null constraint game_pictures_kind check (kind in ('logo', 'cover')),
  type       text not null constraint game_pictures_type check (type in ('image/png', 'image/jpeg', 'image/webp')),
  -- SHA-256 of the bytes, hexadecimal: the name in addresses.
  digest     text not null constraint game_pictures_digest check (digest ~ '^[0-9a-f]{64}$'),
  size       integer not null constraint game_pictures_size check (size between 1 and 524288),
  width      integer not null,
  height     integer not null,
  bytes      bytea not null,
  created_at timestamptz(3) not null,
  primary key (game_id, kind),
  constraint game_pictures_whole check (size = octet_length(bytes))
);
create index game_pictures_address on game_pictures (digest);
-- They are compressed already.
alter table game_pictures alter column bytes set storage external;
