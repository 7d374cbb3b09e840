import { RewardStatus } from '../../src/closings/rewards/reward.js';
import { startApp, type TestApp } from '../support/app.js';
import { filledUuid, fillTables } from '../support/full-tables.js';
import type { Caller, Data } from '../support/http.js';
import { addressOf, makeReaders, REQUIRED, SORTABLE } from '../support/lists.js';
import { PlanWatch, type Work } from '../support/plans.js';

const ROWS = 100_000;
/** Rows of a hundredth of a table: as many may be sorted, where that is a whole account. */
const FEW = ROWS / 100 + 500;
/** An index walked in its order past rows of other accounts: some dozens of pages of 20. */
const PASSED = 5 * FEW;

/** Far fewer than the rows of any table fill. */
const PAGES = 1_000;

const large = {
  account: `account_id=acc_${filledUuid(1)}`,
  game: `game_id=gam_${filledUuid(1)}`,
  board: `board_id=brd_${filledUuid(1)}`,
  device: `device_id=dev_${filledUuid(1)}`,
  player: `identity_id=ide_${filledUuid(5)}`,
};
const middle = `account_id=acc_${filledUuid(2)}`;
const small = `account_id=acc_${filledUuid(4)}`;
/** The large account is the regular administrator's. */
const ACCOUNTS = ['', middle, small];

interface ListRequest {
  /** Orders that an index serves, beside the default one. */
  sorts: string;
  /** Filters of a superadmin; a regular administrator of the large account asks for the same, less the account. */
  filters: string[];
}

const LISTS: Record<string, ListRequest> = {
  '/v1/accounts': { sorts: 'id name slug created_at updated_at', filters: ['', middle, 'slug=a-1'] },
  '/v1/users': { sorts: 'id email display_name created_at updated_at', filters: ACCOUNTS },
  '/v1/api-keys': {
    sorts: 'id name created_at updated_at',
    filters: [...ACCOUNTS, 'status=active', 'status=revoked'],
  },
  '/v1/identity-providers': { sorts: 'id created_at', filters: [''] },
  '/v1/webhook-endpoints': { sorts: 'id created_at', filters: ACCOUNTS },
  '/v1/webhook-endpoints/{endpoint_id}/deliveries': {
    sorts: 'created_at',
    filters: ['', 'status=failed', 'status=delivered'],
  },
  '/v1/games': { sorts: 'id name slug created_at updated_at', filters: [...ACCOUNTS, 'slug=g-77'] },
  '/v1/boards': {
    sorts: 'id name slug short_code created_at updated_at',
    filters: [...ACCOUNTS, large.game, 'is_active=true', 'code=C0000077'],
  },
  '/v1/client/boards': {
    sorts: 'id name slug short_code created_at updated_at',
    filters: ['', 'is_active=0'],
  },
  '/v1/boards/{board_id}/imports': { sorts: 'id created_at updated_at', filters: [''] },
  '/v1/boards/{board_id}/closings': {
    sorts: 'id created_at',
    filters: ['', 'status=withdrawn', 'status=settling'],
  },
  '/v1/rewards': {
    sorts: '',
    filters: ['', `closing_id=cls_${filledUuid(1)}`, large.player, 'status=open'],
  },
  '/v1/client/rewards': { sorts: 'status', filters: ['', 'status=open'] },
  '/v1/board-templates': {
    sorts: 'id name next_run_at created_at updated_at',
    filters: [...ACCOUNTS, large.game, 'is_active=true'],
  },
  '/v1/player-providers': { sorts: 'created_at', filters: [...ACCOUNTS, large.game] },
  '/v1/scores': { sorts: 'value created_at', filters: ['', 'is_test=true', 'is_test=all'] },
  '/v1/client/scores': { sorts: 'value created_at', filters: ['', 'identity_id=me', 'is_test=all'] },
  '/v1/score-events': {
    sorts: 'created_at',
    filters: [
      ...ACCOUNTS,
      large.board,
      `${large.board}&is_test=true`,
      `${large.board}&is_test=false`,
      `${large.account}&is_test=true`,
      `${large.board}&${large.player}`,
      `${large.board}&${large.player}&is_test=0`,
      `account_id=acc_${filledUuid(30)}&board_id=brd_${filledUuid(30)}`,
    ],
  },
  '/v1/board-states': { sorts: 'created_at', filters: ['', large.player] },
  '/v1/score-submission-metadata': {
    sorts: 'created_at',
    filters: [
      ...ACCOUNTS,
      large.game,
      large.board,
      large.player,
      `device_id=dev_${filledUuid(5)}`,
      `${large.board}&${large.player}`,
    ],
  },
  '/v1/score-flags': {
    sorts: 'created_at updated_at',
    filters: [
      ...ACCOUNTS,
      large.game,
      large.board,
      'status=pending',
      'status=confirmed_cheat',
      'flag_type=outlier',
      `${large.board}&status=pending`,
      large.player,
    ],
  },
  '/v1/identity-reviews': {
    sorts: 'created_at',
    filters: [...ACCOUNTS, large.game, large.player, 'status=undone', 'status=applied'],
  },
  '/v1/player-merges': {
    sorts: 'created_at',
    filters: [...ACCOUNTS, large.game, large.player, 'status=applied', 'status=undone'],
  },
  '/v1/audit-entries': {
    sorts: 'created_at',
    filters: [
      ...ACCOUNTS,
      large.game,
      `user_id=usr_${filledUuid(5)}`,
      `subject_id=flg_${filledUuid(5)}`,
      'action=runs_review_undone',
    ],
  },
  '/v1/alerts': {
    sorts: 'created_at',
    filters: [...ACCOUNTS, large.game, large.board, 'status=open', 'status=dismissed'],
  },
  '/v1/devices': {
    sorts: 'created_at last_seen_at',
    filters: [...ACCOUNTS, large.game, 'status=active', 'status=banned'],
  },
  '/v1/device-sessions': {
    sorts: 'created_at',
    filters: [...ACCOUNTS, large.game, large.device, 'status=revoked', 'status=active'],
  },
  '/v1/identities': { sorts: 'created_at', filters: [...ACCOUNTS, large.game, 'kind=custom'] },
  '/v1/jam-codes': { sorts: 'id code current_uses created_at updated_at', filters: [''] },
};

let app: TestApp;
let watch: PlanWatch;
let readers: Awaited<ReturnType<typeof makeReaders>>;
beforeAll(async () => {
  app = await startApp();
  await fillTables(app.database.connectionString, ROWS);
  readers = await makeReaders(app);
  watch = await PlanWatch.on(app.database);
}, 240_000);
afterAll(async () => {
  await watch.close();
  await app.close();
});

/** A record in the middle of the tables, in whose place cursors are moved: how its fields are called in positions. */
let deep: Record<string, Data>;
beforeAll(async () => {
  deep = {};
  const middleOf = Math.floor(ROWS / 2) + 1;
  const paths: [string, string][] = [
    ['/v1/accounts', `acc_${filledUuid(middleOf)}`],
    ['/v1/users', `usr_${filledUuid(middleOf)}`],
    ['/v1/api-keys', `key_${filledUuid(middleOf)}`],
    // Of an account that has no more; those with more have deleted theirs but one.
    ['/v1/identity-providers', `idp_${filledUuid(middleOf + 3)}`],
    ['/v1/webhook-endpoints', `whk_${filledUuid(middleOf)}`],
    ['/v1/webhook-endpoints/{endpoint_id}/deliveries', `dlv_${filledUuid(middleOf)}`],
    ['/v1/games', `gam_${filledUuid(middleOf)}`],
    ['/v1/boards', `brd_${filledUuid(middleOf)}`],
    ['/v1/boards/{board_id}/imports', `imp_${filledUuid(middleOf)}`],
    ['/v1/boards/{board_id}/closings', `cls_${filledUuid(middleOf)}`],
    ['/v1/rewards', `rwd_${filledUuid(middleOf)}`],
    ['/v1/board-templates', `tpl_${filledUuid(middleOf)}`],
    ['/v1/player-providers', `ppr_${filledUuid(middleOf)}`],
    ['/v1/score-events', `sev_${filledUuid(middleOf ^ 5)}`],
    ['/v1/scores', `scr_${filledUuid(middleOf ^ 5)}`],
    ['/v1/board-states', `bst_${filledUuid(middleOf)}`],
    ['/v1/score-submission-metadata', `sub_${filledUuid(middleOf)}`],
    ['/v1/score-flags', `flg_${filledUuid(middleOf)}`],
    ['/v1/identity-reviews', `rev_${filledUuid(middleOf)}`],
    ['/v1/player-merges', `mrg_${filledUuid(middleOf)}`],
    ['/v1/audit-entries', `aud_${filledUuid(middleOf)}`],
    ['/v1/alerts', `alr_${filledUuid(middleOf)}`],
    ['/v1/devices', `dev_${filledUuid(middleOf)}`],
    ['/v1/device-sessions', `ses_${filledUuid(middleOf)}`],
    ['/v1/identities', `ide_${filledUuid(middleOf)}`],
    ['/v1/jam-codes', `jam_${filledUuid(middleOf)}`],
  ];
  for (const [path, id] of paths) {
    const { status, body } = await app.superadmin.get(
      `${path.replace('boards/{board_id}/', '').replace('endpoints/{endpoint_id}/deliveries', 'deliveries')}/${id}`,
    );
    expect({ path, status }).toEqual({ path, status: 200 });
    // A list of rewards is in the order of their states.
    deep[path] = path === '/v1/rewards' ? { ...body, status: REWARDS.indexOf(body.status) } : body;
  }
});

const REWARDS: string[] = Object.values(RewardStatus);

/** An honest cursor, moved far into the list. */
function moved(cursor: string, record: Data): string {
  const state = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const fields: string[] = state.s.split(',').map((part: string) => part.split(':')[0]);
  // The board's own order: key and number.
  const ranked = state.s.startsWith('board');
  const p = ranked ? [-record.value, 1] : fields.filter((name) => name !== 'id').map((name) => record[name]);
  const id = state.id && record.id;
  return Buffer.from(JSON.stringify({ ...state, p, id })).toString('base64url');
}

/** @param times how many times the work of a page is allowed */
function checkResult({ scanned, sorted, read, pages }: Work, times = 1): string {
  if (scanned.length > 0) return `reads all of ${scanned}`;
  if (sorted > FEW * times) return `sorts ${sorted} rows`;
  if (pages > PAGES) return `touches ${pages} pages in a function`;
  return read > PASSED * times ? `looks at ${read} rows` : 'good';
}

/** The most that any request of the list being judged did: shown with SHOW_WORK=1. */
let most: Omit<Work, 'scanned'>;

/** The first page, one far into the list, and the one before that. */
async function judge(caller: Caller, path: string, parts: string[]): Promise<string[]> {
  const faults: string[] = [];
  let cursor: string | undefined;
  for (const place of ['first', 'deep', 'back']) {
    const address = addressOf(path, [...parts, ...(cursor ? [`cursor=${cursor}`] : [])]);
    const { answer, work } = await watch.workOf(() => caller.get(address));
    if (answer.status !== 200) throw new Error(`${address}: ${JSON.stringify(answer.body)}`);
    const said = checkResult(work);
    if (said !== 'good') faults.push(`${place} of ${path}?${parts.join('&')} ${said}`);
    most.sorted = Math.max(most.sorted, work.sorted);
    most.read = Math.max(most.read, work.read);
    most.pages = Math.max(most.pages, work.pages);
    const { next_cursor: next, prev_cursor: previous } = answer.body.pagination;
    if (place === 'first' && next) cursor = moved(next, deep[path.replace('/client', '')]);
    else if (place === 'deep' && previous) cursor = previous;
    else break;
  }
  return faults;
}

/** No account has jam codes, and none more than one issuer. */
const SUPERADMINS_ALONE = ['/v1/jam-codes', '/v1/identity-providers'];

test('the table of lists is that of the routes', () => {
  expect(Object.keys(LISTS)).toEqual(Object.keys(SORTABLE));
});

test.each(Object.keys(LISTS))(
  `${ROWS} rows of %s: no table is read from end to end, no list is sorted`,
  async (path) => {
    const { sorts, filters } = LISTS[path]!;
    const orders = [
      '',
      ...(sorts.match(/\S+/g) ?? []).flatMap((field) => [`sort=${field}:asc`, `sort=${field}:desc`]),
    ];
    const client = path.startsWith('/v1/client/');
    const faults: string[] = [];
    most = { sorted: 0, read: 0, pages: 0 };
    for (const order of orders) {
      for (const filter of filters) {
        const parts = [order, filter].filter(Boolean);
        faults.push(...(await judge(client ? readers.client : readers.superadmin, path, parts)));
        if (client || SUPERADMINS_ALONE.includes(path) || /account_id/.test(filter)) continue;
        for (const fault of await judge(readers.admin, path, parts)) faults.push(`for an account, ${fault}`);
      }
    }
    if (process.env.SHOW_WORK) process.stdout.write(`${path} ${JSON.stringify(most)}\n`);
    expect(faults).toEqual([]);
  },
);

/** A thousand records are counted where a page has twenty. */
const COUNT = 2;
const BOARD = `brd_${filledUuid(1)}`;
/** Lists of GraphQL alone: below a record, and without filters of their own. */
const BELOW: Record<string, string> = {
  '/v1/boards/{board_id}/imports': 'scoreImports',
  '/v1/boards/{board_id}/closings': 'closings',
  '/v1/board-states': 'states',
  '/v1/webhook-endpoints/{endpoint_id}/deliveries': 'deliveries',
};
const camelCase = (name: string) => name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());

/** The query of a list's number of records. @param filter as REST has it */
function countQuery(path: string, filter: string): string {
  const member = ([name, value]: [string, string]) => {
    const literal = /^(code|slug)$|_id$/.test(name) ? `"${value}"` : value === '0' ? 'false' : value;
    const isEnum = /^[a-z_]+$/.test(literal) && !/^(true|false)$/.test(literal);
    return `${name === 'code' ? 'shortCode' : camelCase(name)}: ${isEnum ? literal.toUpperCase() : literal}`;
  };
  const required = BELOW[path] ? undefined : REQUIRED[path];
  const given = [...new URLSearchParams([required, filter].filter(Boolean).join('&'))];
  const members = given.filter(([name]) => name !== 'account_id').map(member);
  const account = given.filter(([name]) => name === 'account_id').map(member);
  const args = [...account, ...(members.length > 0 ? [`filter: {${members.join(', ')}}`] : [])].join(', ');
  const list =
    BELOW[path] ??
    camelCase(path.replace('/v1/', '').replace('score-submission-metadata', 'submission-records'));
  const field = `list: ${list}${args && `(${args})`} { totalCount { value isExact } }`;
  if (path.startsWith('/v1/webhook')) {
    return BELOW[path]
      ? `{ board: webhookEndpoint(id: "whk_${filledUuid(1)}") { ${field} } }`
      : `{ ${field} }`;
  }
  return BELOW[path] ? `{ board(by: {id: "${BOARD}"}) { ${field} } }` : `{ ${field} }`;
}

test.each(Object.keys(LISTS).filter((path) => !/client|scores$/.test(path)))(
  `${ROWS} rows of %s: counting does at most twice the work of a page`,
  async (path) => {
    const faults: string[] = [];
    for (const filter of LISTS[path]!.filters) {
      for (const caller of SUPERADMINS_ALONE.includes(path)
        ? ['superadmin' as const]
        : ['superadmin' as const, 'admin' as const]) {
        if (caller === 'admin' && /account_id/.test(filter)) continue;
        const query = countQuery(path, filter);
        const { answer, work } = await watch.workOf(() => readers[caller].data(query));
        const { value, isExact } = (BELOW[path] ? answer.board : answer).list.totalCount;
        expect([query, value <= 1_000, isExact || value === 1_000]).toEqual([query, true, true]);
        const said = checkResult(work, COUNT);
        if (said !== 'good') faults.push(`for ${caller} ${query} ${said}`);
      }
    }
    expect(faults).toEqual([]);
  },
);

/** The newest of six kinds, and some players. */
const SEARCHED = 6 * 5_000 + 500;

test(`${ROWS} records of each kind: a search reads the newest of them, and one range of an index for players`, async () => {
  const query = `query ($accountId: ID!, $gameId: ID, $text: String!) {
    search(accountId: $accountId, gameId: $gameId, text: $text) { id } }`;
  const faults: string[] = [];
  for (const text of [
    'p',
    'player',
    'player 1',
    '7',
    'c0000077',
    'nothing',
    large.player.slice('identity_id='.length),
  ]) {
    for (const gameId of [null, `gam_${filledUuid(1)}`]) {
      for (const caller of ['superadmin', 'admin'] as const) {
        const variables = { accountId: `acc_${filledUuid(1)}`, gameId, text };
        const { work } = await watch.workOf(() => readers[caller].data(query, variables));
        if (process.env.SHOW_WORK) process.stdout.write(`${text} ${gameId} ${JSON.stringify(work)}\n`);
        const isBounded =
          work.scanned.length === 0 && work.sorted <= 5_000 && work.read <= SEARCHED && work.pages <= PAGES;
        if (!isBounded) faults.push(`${text} of ${gameId} for ${caller}: ${JSON.stringify(work)}`);
      }
    }
  }
  expect(faults).toEqual([]);
});
