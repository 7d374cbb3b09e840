import { PAGE_SIZE } from '../call.js';
import { UsageError } from '../output/failure.js';
import { got, type LeaderboardClient, type ListPage, pagesOf } from '../rest/client.js';
import { playersNamed } from './names.js';

/** The record that a handle names. */
export interface FoundRecord {
  id: string;
  /** Id of its account. */
  account_id?: string;
}

type Finder = (
  client: LeaderboardClient,
  handle: string,
  accountId: string | undefined,
) => Promise<FoundRecord>;

const ID = /^[a-z]{3}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True if it is a record's id, of whatever kind. */
export function looksLikeId(text: string): boolean {
  return ID.test(text);
}

function only<T extends FoundRecord>(records: T[], what: string, handle: string): T {
  if (records.length > 1) {
    const ids = records.map(({ id }) => id).join(', ');
    throw new Error(`More than one ${what} is called "${handle}". Use one of these ids: ${ids}.`);
  }
  if (!records[0]) throw new Error(`No ${what} found for "${handle}".`);
  return records[0];
}

/** Searches a whole list: for records without a filter in REST, of which an account has few. */
async function searched<T extends FoundRecord>(
  read: (query: { limit: number; cursor?: string }) => Promise<ListPage<T>>,
  fits: (record: T) => boolean,
): Promise<T[]> {
  const fitting: T[] = [];
  const pages = pagesOf((cursor) => read({ limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }));
  for await (const { data } of pages) fitting.push(...data.filter(fits));
  return fitting;
}

const inAccount = (accountId: string | undefined) => accountId !== undefined && { account_id: accountId };

const account: Finder = async (client, slug) => {
  const { data } = await got(client.GET('/v1/accounts', { params: { query: { slug } } }));
  return only(data, 'account', slug);
};

const game: Finder = async (client, slug) => {
  const { data } = await got(client.GET('/v1/games', { params: { query: { slug } } }));
  return only(data, 'game', slug);
};

const board: Finder = async (client, handle) => {
  const [gameSlug = '', slug] = handle.split('/');
  if (slug === undefined) {
    const { data } = await got(client.GET('/v1/boards', { params: { query: { code: handle } } }));
    return only(data, 'board', handle);
  }
  const query = { game_slug: gameSlug, slug, limit: PAGE_SIZE };
  const { data } = await got(client.GET('/v1/boards', { params: { query } }));
  // Boards may share a slug over time: the active one is preferred, else the latest started.
  const active = await got(client.GET('/v1/boards', { params: { query: { ...query, is_active: true } } }));
  const latest = data.toSorted((a, b) => (b.starts_at ?? '').localeCompare(a.starts_at ?? ''));
  return only([...active.data, ...latest].slice(0, 1), 'board', handle);
};

const user: Finder = async (client, email, accountId) => {
  const wanted = email.toLowerCase();
  const users = await searched(
    (query) => got(client.GET('/v1/users', { params: { query: { ...query, ...inAccount(accountId) } } })),
    (record) => record.email.toLowerCase() === wanted,
  );
  return only(users, 'user', email);
};

const key: Finder = async (client, prefix, accountId) => {
  const keys = await searched(
    (query) => got(client.GET('/v1/api-keys', { params: { query: { ...query, ...inAccount(accountId) } } })),
    (record) => record.prefix === prefix,
  );
  return only(keys, 'key', prefix);
};

const template: Finder = async (client, name, accountId) => {
  const templates = await searched(
    (query) =>
      got(client.GET('/v1/board-templates', { params: { query: { ...query, ...inAccount(accountId) } } })),
    (record) => record.name === name,
  );
  return only(templates, 'template', name);
};

const jamCode: Finder = async (client, code) => {
  const codes = await searched(
    (query) => got(client.GET('/v1/jam-codes', { params: { query } })),
    (record) => record.code === code.toUpperCase(),
  );
  return only(codes, 'jam code', code);
};

const player: Finder = async (client, name, accountId) => {
  const account = accountId ?? (await got(client.GET('/v1/me'))).account_id;
  return only(await playersNamed(client, account, name), 'player', name);
};

/** Finds records by their handles; keyed by the request member that holds their id. */
const FINDERS: Record<string, Finder> = {
  account_id: account,
  game_id: game,
  board_id: board,
  default_board_id: board,
  numerator_board_id: board,
  denominator_board_id: board,
  user_id: user,
  identity_id: player,
  key_id: key,
  template_id: template,
  created_from_template_id: template,
  jam_code_id: jamCode,
};

/** Handles accepted for an id, by the request member that holds it; absent where only the id is accepted. */
export const HANDLES: Record<string, string> = {
  account_id: 'slug or id',
  game_id: 'slug or id',
  board_id: 'short code, game/slug or id',
  user_id: 'address or id',
  identity_id: 'name or id',
  key_id: 'prefix or id',
  template_id: 'name or id',
  jam_code_id: 'code or id',
};

/**
 * The record that an id or a handle names.
 * @param member of a request, e.g. `game_id`
 * @param accountId where to search for handles that are unique in an account only
 * @throws Error when there is none, or more than one; UsageError when only an id is accepted
 */
export async function recordNamed(
  client: LeaderboardClient,
  member: string,
  handle: string,
  accountId: string | undefined,
): Promise<FoundRecord> {
  if (looksLikeId(handle)) return { id: handle };
  const finder = FINDERS[member];
  if (!finder) throw new UsageError(`"${handle}" is not a valid id. List commands show ids`);
  return finder(client, handle, accountId);
}
