import type { Knex } from 'knex';
import { Account } from '../accounts/account.js';
import { ApiKey } from '../accounts/keys/api-key.js';
import { liveAccounts, liveKeys, liveUsers, loadAccount } from '../accounts/read.js';
import { GAMES_OF_KEY, visiblePeople } from '../accounts/users/grant.js';
import { User } from '../accounts/users/user.js';
import { type IdKind, idOf, isId, prefixes, uuidOf } from '../base/ids.js';
import { Board } from '../boards/board/board.js';
import { liveBoards } from '../boards/board/read.js';
import { liveTemplates } from '../boards/templates/read.js';
import { BoardTemplate } from '../boards/templates/template.js';
import { runStatement } from '../db/pool.js';
import { type BareRow, fromRow, type RowClass, type Rows } from '../db/row.js';
import { Game } from '../games/game.js';
import { inLiveGame, liveGames, loadGame } from '../games/read.js';
import { adminOf, withinGames } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { Identity } from '../players/identities/identity.js';
import { liveIdentities } from '../players/read.js';
import { findingOf } from '../players/search.js';
import { JamCode } from '../registration/jam/jam-code.js';

/** Records of a kind that are looked at, the newest. */
const LOOKED_AT = 5_000;
/** Games whose players are looked for, the newest: one look into an index each. */
const GAMES_LOOKED_AT = 200;

interface Kind<R extends BareRow> {
  kind: IdKind;
  type: RowClass<R>;
  live(db: Knex): Rows<R>;
  /** The column of its name. */
  name: string;
  /** Columns in which what was typed is found as it is. */
  codes: string[];
  /** A column with a unique index: its record is found beyond those looked at. */
  unique?: string;
  /** True for records of the installation, which only superadmins find. */
  isForSuperadmins?: boolean;
  /** Limits rows to those that the caller may read. */
  visible(context: Context, rows: Rows<BareRow>): Rows<BareRow>;
}

const ofGames =
  (column: string): Kind<BareRow>['visible'] =>
  (context, rows) =>
    withinGames(context, rows, column);

const kindOf = <R extends BareRow>(kind: Kind<R>) => kind as unknown as Kind<BareRow>;

const GAMES = kindOf({
  kind: 'game',
  type: Game,
  live: liveGames,
  name: 'name',
  codes: ['slug'],
  visible: ofGames('games.id'),
});
const OTHERS = [
  kindOf({
    kind: 'board',
    type: Board,
    live: liveBoards,
    name: 'name',
    codes: ['slug', 'short_code'],
    unique: 'short_code',
    visible: ofGames('boards.game_id'),
  }),
  kindOf({
    kind: 'boardTemplate',
    type: BoardTemplate,
    live: liveTemplates,
    name: 'name',
    codes: ['slug'],
    visible: ofGames('board_templates.game_id'),
  }),
  kindOf({
    kind: 'user',
    type: User,
    live: liveUsers,
    name: 'display_name',
    codes: ['email'],
    visible: (context, rows) => rows.whereRaw(...visiblePeople(context, 'users.id', 'users.game_ids')),
  }),
  kindOf({
    kind: 'apiKey',
    type: ApiKey,
    live: liveKeys,
    name: 'name',
    codes: ['prefix'],
    visible: (context, rows) => rows.whereRaw(...visiblePeople(context, 'api_keys.user_id', GAMES_OF_KEY)),
  }),
];
const ACCOUNTS = kindOf({
  kind: 'account',
  type: Account,
  live: liveAccounts,
  name: 'name',
  codes: ['slug'],
  isForSuperadmins: true,
  visible: (_context, rows) => rows,
});
const JAM_CODES = kindOf({
  kind: 'jamCode',
  type: JamCode,
  live: (db) => JamCode.query(db),
  name: 'description',
  codes: ['code'],
  isForSuperadmins: true,
  visible: (_context, rows) => rows,
});

interface Sought {
  /** Undefined: all accounts, for superadmins. */
  accountId: string | undefined;
  text: string;
  /** The game whose players come first. */
  gameId?: string | null;
  /** Of each kind. */
  first: number;
}

/**
 * Records whose names, codes or ids contain a text, and players with a word of their names that begins with it: games, boards,
 * templates, people, keys, for superadmins accounts and jam codes, then players; of each kind the newest first, players of one game
 * first, then in the order of the alphabet. Each kind's look is bounded, whatever there is.
 * @throws DomainError FORBIDDEN, NOT_FOUND (the account or the game)
 */
export async function search(context: Context, sought: Sought): Promise<BareRow[]> {
  const { accountId } = sought;
  if (accountId) await loadAccount(context, accountId);
  const found: BareRow[] = [];
  for (const kind of [GAMES, ...OTHERS]) found.push(...(await recordsOf(context, kind, sought)));
  if (adminOf(context).superAdmin) {
    if (!accountId) found.push(...(await recordsOf(context, ACCOUNTS, sought)));
    found.push(...(await recordsOf(context, JAM_CODES, sought)));
  }
  return [...found, ...(await playersOf(context, sought))];
}

async function recordsOf(
  context: Context,
  { kind, type, live, name, codes, unique, isForSuperadmins, visible }: Kind<BareRow>,
  { accountId, text, first }: Sought,
): Promise<BareRow[]> {
  const { db } = context;
  const table = type.tableName;
  const ofAccount = (rows: Rows<BareRow>) => {
    if (accountId !== undefined && !isForSuperadmins) rows.where(`${table}.account_id`, uuidOf(accountId));
    return visible(context, rows);
  };
  const typed = text.trim();
  const id = uuidIn(kind, typed);
  const exact: BareRow[] = [];
  if (id) exact.push(...(await ofAccount(live(db)).where(`${table}.id`, id)));
  if (unique) exact.push(...(await ofAccount(live(db)).where(`${table}.${unique}`, typed.toUpperCase())));
  const newest = ofAccount(type.query(db)).orderByRaw('created_at desc, id').limit(LOOKED_AT);
  if (kind !== 'jamCode') newest.whereNull('deleted_at');
  const literal = [...codes, `'${prefixes[kind]}_' || ${table}.id`].map((column) => `lower(${column})`);
  const rows = await live(db)
    .from(newest.as(table))
    .whereRaw(
      `(strpos(name_key(${table}.${name}), name_key(?::text)) > 0
        or strpos(concat_ws(chr(10), ${literal.join(', ')}), lower(?::text)) > 0)`,
      [typed, typed],
    )
    .orderByRaw(`${table}.created_at desc, ${table}.id`)
    .limit(first);
  return [...new Map([...exact, ...rows].map((row) => [row.id, row])).values()].slice(0, first);
}

/** The uuid of a text that is an id of this kind, with its prefix or without. */
function uuidIn(kind: IdKind, typed: string): string | undefined {
  const text = typed.toLowerCase();
  return [text, idOf(kind, text)].find((id) => isId(kind, id))?.slice(prefixes[kind].length + 1);
}

// The games are one range of an index, and records are read of the players found alone.
const PLAYERS_OF_GAMES = (ofAccount: string) => `
  with found as materialized (
    select f.id, g.is_own, f.place from (
      select g.id, true as is_own from games g where g.id = :own and g.deleted_at is null ${ofAccount}
      union all
      (select g.id, false from games g where g.deleted_at is null ${ofAccount} and (:games::uuid[] is null or g.id = any(:games::uuid[]))
        and g.id is distinct from :own order by g.created_at desc, g.id limit ${GAMES_LOOKED_AT})) g
    cross join lateral find_players(g.id, :typed, :beginnings::text[], :first) with ordinality f(id, place)
    order by g.is_own desc, f.place, f.id limit :first)
  select i.* from found join identities i on i.id = found.id where ${inLiveGame('i')}
  order by found.is_own desc, found.place, i.id`;

async function playersOf(context: Context, { accountId, text, gameId, first }: Sought): Promise<BareRow[]> {
  const account = accountId === undefined ? null : uuidOf(accountId);
  const id = uuidIn('identity', text.trim());
  if (id) {
    const rows = liveIdentities(context.db).where('identities.id', id);
    if (account) rows.where('identities.account_id', account);
    return withinGames(context, rows, 'identities.game_id');
  }
  const own = gameId == null ? null : uuidOf((await loadGame(context, gameId)).id);
  const games = adminOf(context).games?.map(uuidOf) ?? null;
  const [typed, beginnings] = findingOf(text);
  const statement = PLAYERS_OF_GAMES(account === null ? '' : 'and g.account_id = :account');
  const values = { account, games, own, typed, beginnings, first };
  const { rows } = await runStatement(context.db, statement, values);
  return rows.map((row) => fromRow(Identity, row));
}
