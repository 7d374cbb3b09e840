-- Names have as many characters as people count (grapheme clusters, checked by the service), each of four code points on average at most.
alter table accounts drop constraint accounts_name_length,
  add constraint accounts_name_length check (char_length(name) between 1 and 400);
alter table users drop constraint users_display_name_length,
  add constraint users_display_name_length check (char_length(display_name) between 2 and 400 and display_name = btrim(display_name));
alter table api_keys drop constraint api_keys_name_length,
  add constraint api_keys_name_length check (char_length(name) between 1 and 400);
alter table games drop constraint games_name_length,
  add constraint games_name_length check (char_length(name) between 1 and 400 and name = btrim(name));
alter table boards drop constraint boards_name_length,
  add constraint boards_name_length check (char_length(name) between 1 and 400 and name = btrim(name));
alter table board_templates drop constraint board_templates_name_length, drop constraint board_templates_name_template_length,
  drop constraint board_templates_series_length,
  add constraint board_templates_name_length check (char_length(name) between 1 and 400 and name = btrim(name)),
  add constraint board_templates_name_template_length check (char_length(name_template) between 1 and 800),
  add constraint board_templates_series_length check (char_length(series) between 1 and 400);
alter table passkeys drop constraint passkeys_name_length,
  add constraint passkeys_name_length check (char_length(name) between 1 and 256);
-- What is stored fits: large tables are not read again.
alter table identities drop constraint identities_display_name_length,
  add constraint identities_display_name_length check (char_length(display_name) <= 256) not valid;
alter table score_events drop constraint score_events_player_name_length, drop constraint score_events_shown_name_length,
  add constraint score_events_player_name_length check (char_length(player_name) <= 256) not valid,
  add constraint score_events_shown_name_length check (char_length(shown_name) <= 256) not valid;

-- The rest of a name from each of its words on, and in scripts without blanks between words (Chinese, Japanese, Korean, Thai, Lao, Khmer,
-- Burmese) from each syllable or letter on. What it returned before is among it, so that a rename deletes all of an older row.
create or replace function name_words(name text) returns text[] language plpgsql immutable strict parallel safe as $$
declare
  rest text := left(name_key(name), 64);
  found text[] := '{}';
  start integer;
begin
  while rest <> '' loop
    found := found || rest;
    -- Hangul is decomposed here: a syllable begins with its leading consonant.
    start := coalesce(length(substring(rest from '^.[^ \u0e01-\u0e2e\u0e40-\u0e44\u0e81-\u0eae\u0ec0-\u0ec4\u1000-\u102a\u1100-\u115e\u1780-\u17b3\u3041-\u3096\u30a1-\u30fa\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]*')), 0) + 1;
    rest := ltrim(substr(rest, start), ' ');
  end loop;
  return found;
end $$;

-- Names that are indexed from each word on, not yet from each part: searches use the index meanwhile.
alter table player_words_due add column has_words boolean not null default false;
insert into player_words_due (game_id, has_words)
  select g.id, true from games g where exists (select from identities i where i.game_id = g.id and i.deleted_at is null)
  on conflict (game_id) do update set until_at = 'infinity', after_id = '00000000-0000-0000-0000-000000000000', players = 0;
