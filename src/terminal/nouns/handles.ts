import { got, type LeaderboardClient, type Page, pagesOf } from '../../client/client.js';
import { LARGEST_PAGE } from '../call.js';
import { UsageError } from '../input/usage-error.js';

/** What a handle leads to. */
export interface Found {
  id: string;
  /** Of the account it belongs to. */
  account_id?: string;
}

type Finder = (client: LeaderboardClient, handle: string, account: string | undefined) => Promise<Found>;

const ID = /^[a-z]{3}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it is the id of a record, of whatever kind. */
export function isId(text: string): boolean {
  return ID.test(text);
}

function only<T extends Found>(found: T[], what: string, handle: string): T {
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new Error(`Several ${what}s are called "${handle}": name one of ${ids}.`);
  }
  if (!found[0]) throw new Error(`There is no ${what} "${handle}".`);
  return found[0];
}

/** Looks through a whole list: for records that REST has no filter for, of which an account has few. */
async function searched<T extends Found>(
  read: (query: { limit: number; cursor?: string }) => Promise<Page<T>>,
  fits: (record: T) => boolean,
): Promise<T[]> {
  const found: T[] = [];
  const pages = pagesOf((cursor) => read({ limit: LARGEST_PAGE, ...(cursor !== undefined && { cursor }) }));
  for await (const { data } of pages) found.push(...data.filter(fits));
  return found;
}

const inAccount = (account: string | undefined) => account !== undefined && { account_id: account };

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
  const query = { game_slug: gameSlug, slug, limit: LARGEST_PAGE };
  const { data } = await got(client.GET('/v1/boards', { params: { query } }));
  // Boards share a slug over time: one of them is active, and goes before the latest started.
  const active = await got(client.GET('/v1/boards', { params: { query: { ...query, is_active: true } } }));
  const latest = data.toSorted((a, b) => (b.starts_at ?? '').localeCompare(a.starts_at ?? ''));
  return only([...active.data, ...latest].slice(0, 1), 'board', handle);
};

const user: Finder = async (client, email, of) => {
  const wanted = email.toLowerCase();
  const found = await searched(
    (query) => got(client.GET('/v1/users', { params: { query: { ...query, ...inAccount(of) } } })),
    (record) => record.email.toLowerCase() === wanted,
  );
  return only(found, 'user', email);
};

const key: Finder = async (client, prefix, of) => {
  const found = await searched(
    (query) => got(client.GET('/v1/api-keys', { params: { query: { ...query, ...inAccount(of) } } })),
    (record) => record.prefix === prefix,
  );
  return only(found, 'key', prefix);
};

const template: Finder = async (client, name, of) => {
  const found = await searched(
    (query) => got(client.GET('/v1/board-templates', { params: { query: { ...query, ...inAccount(of) } } })),
    (record) => record.name === name,
  );
  return only(found, 'template', name);
};

const jamCode: Finder = async (client, code) => {
  const found = await searched(
    (query) => got(client.GET('/v1/jam-codes', { params: { query } })),
    (record) => record.code === code.toUpperCase(),
  );
  return only(found, 'jam code', code);
};

/** How records are found by what people call them, by the members of requests that hold their ids. */
const FINDERS: Record<string, Finder> = {
  account_id: account,
  game_id: game,
  board_id: board,
  default_board_id: board,
  numerator_board_id: board,
  denominator_board_id: board,
  user_id: user,
  key_id: key,
  template_id: template,
  created_from_template_id: template,
  jam_code_id: jamCode,
};

/** What people can write for an id, by the member of a request that holds it; nothing where only the id will do. */
export const HANDLES: Record<string, string> = {
  account_id: 'slug or id',
  game_id: 'slug or id',
  board_id: 'short code, game/slug or id',
  user_id: 'address or id',
  key_id: 'prefix or id',
  template_id: 'name or id',
  jam_code_id: 'code or id',
};

/**
 * The record that is meant by an id, or by what people call it.
 * @param member of a request, e.g. `game_id`
 * @param of the account to look in, where handles are an account's own
 * @throws Error when there is none, or more than one; UsageError when only an id will do
 */
export async function found(
  client: LeaderboardClient,
  member: string,
  handle: string,
  of: string | undefined,
): Promise<Found> {
  if (isId(handle)) return { id: handle };
  const finder = FINDERS[member];
  if (!finder) throw new UsageError(`"${handle}" is not the id of a record, as lists show them`);
  return finder(client, handle, of);
}
