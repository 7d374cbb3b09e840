/** Column names are alike in any case, and with or without blanks, hyphens and underscores. */
export const spelt = (name: string) => name.toLowerCase().replaceAll(/[\s_-]+/g, '');

/** Ids of players, at other services and in stores. */
const IDS = [
  'playerid',
  'userid',
  'memberid',
  'gamerid',
  'ownerid',
  'steamid',
  'steamid64',
  'playfabid',
  'xuid',
  'discordid',
  'epicid',
  'gogid',
  'psnid',
  'uuid',
  'ulid',
  'uid',
  'guid',
];
const PLAYERS = ['player', 'user'];
const NAMES = ['name', 'username', 'nickname', 'nick', 'displayname', 'gamertag', 'personaname'];

/** Things with ids that are not players. */
const THINGS = new Set(
  (
    'score scoreevent run board leaderboard game app application title level map track stage course match round session event ' +
    'submission entry record row line season category mode class clan guild team group region server country language build version ' +
    'request transaction order tournament period replay ugc file image avatar icon publisher project environment studio parent type ' +
    'status item character hero vehicle car weapon'
  ).split(' '),
);
const PERSON = /player|user|member|profile|owner|account|entity|gamer|person/;
/** The end of a column of ids: `id`, `clan_id`, `clanId`. */
const ID = /(?:^|[\s_-])(?:id|uid|uuid|ulid|guid)$|[a-z0-9](?:Id|ID|Uid|UID|Uuid|UUID|Ulid|ULID|Guid|GUID)$/;
const ANY_CASE = /^(?:id|uid|uuid|ulid|guid)$/i;

const placeOf = (column: string) => {
  const dot = column.lastIndexOf('.');
  return { parent: column.slice(0, Math.max(dot, 0)), name: column.slice(dot + 1) };
};
const isOfPerson = (parent: string) => PERSON.test(spelt(placeOf(parent).name));

/** True for a column with the ids of something that may be the players. */
function isId(column: string): boolean {
  const { parent, name } = placeOf(column);
  if (ANY_CASE.test(name)) return parent === '' || !THINGS.has(spelt(placeOf(parent).name));
  const [suffix] = ID.exec(name) ?? [];
  return suffix !== undefined && !THINGS.has(spelt(name.replace(/(?:id|uid|uuid|ulid|guid)$/i, '')));
}

/** Columns that may be meant, and those that may be meant in their place: the file is refused if it has any. */
interface Tier {
  has(column: string): boolean;
  rivals?(column: string): boolean;
}

const named = (...names: string[]): Tier => ({ has: (column) => names.includes(spelt(column)) });
/** Members of a player's object. */
const ofPerson = (names: readonly string[]): Tier => ({
  has(column) {
    const { parent, name } = placeOf(column);
    return parent !== '' && isOfPerson(parent) && names.includes(spelt(name));
  },
});
/** A tier of names: a player is never known by its name where there may be an id. */
const byName = (...names: string[]): Tier => ({ ...named(...names), rivals: isId });

/**
 * Names of columns in files, in tiers: the first tier with a column of the file decides, and two of one tier are unclear.
 * @param key the column of the player: an object's id goes with the name in the same object
 */
export function tiersOf(name: string, key: string | undefined): Tier[] {
  switch (name) {
    case 'external_key':
      return [
        named('externalkey'),
        named(...IDS),
        ofPerson([...IDS, 'id']),
        // An `id` may be the run's.
        { ...named('id'), rivals: (column) => PLAYERS.includes(spelt(column)) || isId(column) },
        byName(...PLAYERS),
        byName(...NAMES),
        byName('playername'),
        ofPerson(NAMES),
      ];
    case 'player_name': {
      const object = key === undefined ? '' : placeOf(key).parent;
      const beside: Tier = {
        has(column) {
          const { parent, name } = placeOf(column);
          return object !== '' && parent === object && NAMES.includes(spelt(name));
        },
      };
      return [beside, named('playername'), named(...NAMES), ofPerson(NAMES), named(...PLAYERS)];
    }
    case 'value':
      return [
        named('value', 'score', 'points', 'time'),
        named('statvalue', 'scorevalue', 'highscore', 'bestscore', 'totalscore'),
      ];
    case 'occurred_at':
      return [
        named('occurredat'),
        named('date', 'datetime', 'timestamp', 'playedat', 'submittedat', 'achievedat', 'createdat'),
      ];
    default:
      return [named(spelt(name))];
  }
}
