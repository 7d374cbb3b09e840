-- Players by every word of their names, and one normal form of names for all searches (docs/decisions/names.md). What these functions return is
-- stored: a change of them needs a migration that indexes all names again (player_words_due).

-- A name as searches compare it: without case, accents and width, words separated by single blanks, each symbol a word of its own; a name
-- without any letter, digit or symbol as it is. The same in every locale, because collation "C" knows no letters beyond ASCII.
create function wide_name_key(name text) returns text language plpgsql immutable strict parallel safe as $$
declare
  -- Without accents, vowel points, and characters without width.
  bare text := lower(regexp_replace(normalize(name, nfkd) collate "C", '[\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\U0001f3fb-\U0001f3ff\U000e0000-\U000e01ef]', '', 'g'));
begin
  bare := translate(bare, 'ÆÐØÞĐĦŁŊŒŦƏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩЂЄЅІЈЉЊЋЏАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯҐҒҚҢҮҰҺӘӨøđłħŧıς', 'æðoþdhlŋœtəαβγδεζηθικλμνξοπρστυφχψωђєѕіјљњћџабвгдежзиклмнопрстуфхцчшщъыьэюяґғқңүұһәөodlhtiσ');
  -- Letters of fewer names, apart: each character is compared with all of a list.
  if bare ~ '[\u0180-\u024f\u0370-\u0377\u037f\u03cf-\u03ff\u0460-\u0556\u1c90-\u1cbf\u1e9e\U0001e900-\U0001e921]' then
    bare := translate(bare, 'ƁƂƄƆƇƉƊƋƎƐƑƓƔƖƗƘƜƝƟƢƤƦƧƩƬƮƱƲƳƵƷƸƼǤǶǷȜȠȢȤȺȻȽȾɁɃɄɅɆɈɊɌɎͰͲͶͿϏϘϚϜϞϠϢϤϦϨϪϬϮϷϺϽϾϿѠѢѤѦѨѪѬѮѰѲѴѸѺѼѾҀҊҌҎҔҖҘҜҞҠҤҦҨҪҬҲҴҶҸҼҾӀӃӅӇӉӋӍӔӠӶӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿẞ𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡', 'ɓƃƅɔƈɖɗƌǝɛƒɠɣɩɨƙɯɲɵƣƥʀƨʃƭʈʊʋƴƶʒƹƽǥƕƿȝƞȣȥⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱͳͷϳϗϙϛϝϟϡϣϥϧϩϫϭϯϸϻͻͼͽѡѣѥѧѩѫѭѯѱѳѵѹѻѽѿҁҋҍҏҕҗҙҝҟҡҥҧҩҫҭҳҵҷҹҽҿӏӄӆӈӊӌӎӕӡӷӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿß𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃');
  end if;
  return regexp_replace(regexp_replace(bare, '([\u2190-\u2bff\U0001f000-\U0001faff])', ' \1 ', 'g'), '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u060d\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u0970\u0e4f\u0e5a\u0e5b\u115f\u1160\u1680\u2000-\u206f\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d\u30a0\u30fb\ufe10-\ufe1f\ufe30-\ufe6f]+', ' ', 'g');
end $$;

create function name_key(name text) returns text language plpgsql immutable strict parallel safe as $$
declare
  key text := btrim(case when octet_length(name) = char_length(name)
    then regexp_replace(lower(name collate "C"), '[^0-9a-z]+', ' ', 'g') else wide_name_key(name) end);
begin
  return case when key = '' then lower(name collate "C") else key end;
end $$;

-- The rest of a name from each of its first sixteen words on.
create function name_words(name text) returns text[] language plpgsql immutable strict parallel safe as $$
declare
  rest text := left(name_key(name), 64);
  found text[] := '{}';
begin
  while rest <> '' and cardinality(found) < 16 loop
    found := found || rest;
    rest := case when strpos(rest, ' ') = 0 then '' else substr(rest, strpos(rest, ' ') + 1) end;
  end loop;
  return found;
end $$;

-- The words of the players that are not deleted. No reference to the player: nobody deletes its row but moves of accounts, which take this along.
create table player_words (
  game_id      uuid not null,
  words        text collate "C" not null,
  identity_id  uuid not null,
  primary key (game_id, words, identity_id)
);

create function follow_player_name() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.deleted_at is null then
    delete from player_words w where w.game_id = old.game_id and w.words = any(name_words(old.display_name)) and w.identity_id = old.id;
  end if;
  if new.deleted_at is null then
    insert into player_words (game_id, words, identity_id)
      select new.game_id, w, new.id from unnest(name_words(new.display_name)) w on conflict do nothing;
  end if;
  return null;
end $$;
create trigger name_player after insert on identities for each row when (new.display_name <> '' and new.deleted_at is null)
  execute function follow_player_name();
create trigger rename_player after update of display_name, deleted_at on identities for each row
  when (old.display_name is distinct from new.display_name or (old.deleted_at is null) is distinct from (new.deleted_at is null))
  execute function follow_player_name();

-- Games whose players from before have yet to be indexed, the newest first: those created before this moment, or then and with a greater id.
create table player_words_due (
  game_id   uuid primary key references games (id),
  until_at  timestamptz(3) not null default 'infinity',
  after_id  uuid not null default '00000000-0000-0000-0000-000000000000',
  players   integer not null default 0
);
insert into player_words_due (game_id)
  select g.id from games g where exists (select from identities i where i.game_id = g.id and i.deleted_at is null);
