import type { TestApp } from './app.js';
import type { Caller, Data } from './http.js';

let serial = 0;

/** A number that is unique in this test file. */
export function unique(): number {
  serial += 1;
  return serial;
}

/** An account and its owner, who has a key. */
export interface Studio {
  accountId: string;
  userId: string;
  keyId: string;
  admin: Caller;
}

export async function makeAccount(app: TestApp, input: Data = {}): Promise<Data> {
  const data = await app.superadmin.data(
    `mutation ($input: CreateAccountInput!) { createAccount(input: $input) { account { id name slug status } } }`,
    { input: { name: `Studio ${unique()}`, ...input } },
  );
  return data.createAccount.account;
}

export async function makeUser(caller: Caller, accountId: string, input: Data = {}): Promise<Data> {
  const n = unique();
  const data = await caller.data(
    `mutation ($input: CreateUserInput!) {
      createUser(input: $input) { user { id accountId email displayName status superAdmin } }
    }`,
    { input: { accountId, email: `user${n}@example.com`, displayName: `User ${n}`, ...input } },
  );
  return data.createUser.user;
}

export async function makeKey(
  caller: Caller,
  accountId: string,
  userId: string,
  input: Data = {},
): Promise<Data> {
  const data = await caller.data(
    `mutation ($input: CreateApiKeyInput!) {
      createApiKey(input: $input) { apiKey { id name prefix status expiresAt } key }
    }`,
    { input: { accountId, userId, name: `key ${unique()}`, ...input } },
  );
  return { ...data.createApiKey.apiKey, key: data.createApiKey.key };
}

export async function makeStudio(app: TestApp): Promise<Studio> {
  const account = await makeAccount(app);
  const user = await makeUser(app.superadmin, account.id);
  const key = await makeKey(app.superadmin, account.id, user.id);
  const admin = app.anyone.with({ 'service-api-key': key.key });
  return { accountId: account.id, userId: user.id, keyId: key.id, admin };
}

export async function makeGame(studio: Pick<Studio, 'accountId' | 'admin'>, input: Data = {}): Promise<Data> {
  const data = await studio.admin.data(
    `mutation ($input: CreateGameInput!) {
      createGame(input: $input) { game { id accountId name slug url tags antiCheatEnabled createdAt } }
    }`,
    { input: { accountId: studio.accountId, name: `Game ${unique()}`, ...input } },
  );
  return data.createGame.game;
}

export const BOARD = `id accountId gameId name slug shortCode description icon unit isActive isPublished boardType
  sortDirection keepStrategy startsAt endsAt tags urlShort createdAt updatedAt`;

export async function makeBoard(studio: Studio, gameId: string, input: Data = {}): Promise<Data> {
  const data = await studio.admin.data(
    `mutation ($input: CreateBoardInput!) { createBoard(input: $input) { board { ${BOARD} } } }`,
    { input: { accountId: studio.accountId, gameId, name: `Board ${unique()}`, ...input } },
  );
  return data.createBoard.board;
}

const SESSION = `deviceId gameId accountId identityId kind displayName clientFingerprint platform status metadata
  testMode accessToken refreshToken expiresIn firstSeenAt lastSeenAt`;

const START = `mutation ($input: StartDeviceSessionInput!) {
  startDeviceSession(input: $input) { session { ${SESSION} } }
}`;

export interface Player {
  session: Data;
  client: Caller;
}

/** A device's session and its caller. */
export async function startSession(app: TestApp, gameId: string, input: Data = {}): Promise<Player> {
  const data = await app.anyone.data(START, {
    input: { gameId, clientFingerprint: `device ${unique()}`, ...input },
  });
  const { session } = data.startDeviceSession;
  return { session, client: app.anyone.with({ authorization: `Bearer ${session.accessToken}` }) };
}

/** The code with which a session start is refused. */
export function startFault(app: TestApp, input: Data): Promise<string> {
  return app.anyone.code(START, { input });
}

/** Sets fields of any record through its update mutation, e.g. `change(admin, 'Device', id, { status: 'BANNED' })`. */
export function change(caller: Caller, kind: string, id: string, input: Data): Promise<Data> {
  return caller.data(...changing(kind, id, input));
}

/** The code with which an update is refused. */
export function changeFault(caller: Caller, kind: string, id: string, input: Data): Promise<string> {
  return caller.code(...changing(kind, id, input));
}

/** As REST says it: `deleted` deletes or restores, beside the other changes. */
function changing(kind: string, id: string, { deleted, ...input }: Data): [query: string, variables: Data] {
  const field = kind[0]!.toLowerCase() + kind.slice(1);
  const update = `update${kind}(input: $input) { ${field} { id } }`;
  const removal = deleted
    ? `delete${kind}(input: { id: $id }) { deletedId }`
    : 'restore(input: { id: $id }) { node { id } }';
  if (deleted === undefined) {
    return [`mutation ($input: Update${kind}Input!) { ${update} }`, { input: { id, ...input } }];
  }
  if (Object.keys(input).length === 0) return [`mutation ($id: ID!) { ${removal} }`, { id }];
  const both = deleted ? `${update} ${removal}` : `${removal} ${update}`;
  const query = `mutation ($id: ID!, $input: Update${kind}Input!) { ${both} }`;
  return [query, { id, input: { id, ...input } }];
}

/** A page of ids and where it is in its list. */
interface WalkedPage {
  ids: string[];
  edges: { cursor: string }[];
  pageInfo: Data;
}

/**
 * Walks a whole list forward in pages of `size`, then back again; fails unless both ways show the same.
 * @param above selection of the record that the list is below
 */
export function walk(
  caller: Caller,
  field: string,
  args: string,
  size: number,
  above?: string,
): Promise<string[]> {
  return walkPages(size, async (window) => {
    const list = `${field}(${[args, window].filter(Boolean).join(', ')}) { nodes { id } ${PAGE} }`;
    const data = await caller.data(above ? `{ above: ${above} { ${list} } }` : `{ ${list} }`);
    const { nodes, ...page } = (above ? data.above : data)[field];
    return { ids: nodes.map((node: Data) => node.id), ...page };
  });
}

export const PAGE = 'edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

export async function walkPages(
  size: number,
  read: (window: string) => Promise<WalkedPage>,
): Promise<string[]> {
  const page = async (window: string) => {
    const found = await read(window);
    const ends = [found.edges.at(0), found.edges.at(-1)].map((edge) => edge?.cursor ?? null);
    expect([found.pageInfo.startCursor, found.pageInfo.endCursor]).toEqual(ends);
    return found;
  };
  const forward: string[][] = [];
  let current = await page(`first: ${size}`);
  expect(current.pageInfo.hasPreviousPage).toBe(false);
  forward.push(current.ids);
  while (current.pageInfo.hasNextPage) {
    current = await page(`first: ${size}, after: "${current.pageInfo.endCursor}"`);
    expect(current.pageInfo.hasPreviousPage).toBe(true);
    forward.push(current.ids);
  }
  const backward: string[][] = [forward.at(-1)!];
  while (current.pageInfo.hasPreviousPage) {
    current = await page(`last: ${size}, before: "${current.pageInfo.startCursor}"`);
    expect(current.pageInfo.hasNextPage).toBe(true);
    backward.unshift(current.ids);
  }
  expect(backward).toEqual(forward);
  return forward.flat();
}

export const TEMPLATE = `id accountId gameId name slug nameTemplate series repeatInterval nextRunAt isActive isPublished
  icon unit boardType sortDirection keepStrategy startsAt endsAt tags config boardsMade lastError retryAt createdAt
  updatedAt`;

export async function makeTemplate(studio: Studio, gameId: string, input: Data = {}): Promise<Data> {
  const data = await studio.admin.data(
    `mutation ($input: CreateBoardTemplateInput!) {
      createBoardTemplate(input: $input) { boardTemplate { ${TEMPLATE} } }
    }`,
    {
      input: {
        accountId: studio.accountId,
        gameId,
        name: `Template ${unique()}`,
        repeatInterval: '1 week',
        nextRunAt: '2099-01-01T00:00:00.000Z',
        ...input,
      },
    },
  );
  return data.createBoardTemplate.boardTemplate;
}

/** Fair-play settings as GraphQL has them, from their stored form. */
export function antiCheat(stored: Data): Data {
  const threshold = (value: unknown) => ({ value: value === 'off' ? null : value });
  const shown = (name: string, value: Data) => {
    if (name === 'default_tier') return String(value).toUpperCase();
    if (name === 'outlier_medium_factor') return threshold(value);
    if (typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([tier, one]) => [tier, threshold(one)]));
  };
  const camelCase = (name: string) => name.replace(/_([a-z])/g, (_whole, letter) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [camelCase(name), shown(name, value)]),
  );
}
