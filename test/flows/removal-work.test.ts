import { randomUUID } from 'node:crypto';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { LEASE_MS } from '../../src/jobs/claim.js';
import { RemovalWorker } from '../../src/rankings/upkeep/removals.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { ingest } from '../../src/submissions/ingest.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { holding } from '../support/locks.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { standings, submit } from '../support/play.js';
import { boardText, expectSound } from '../support/standings.js';
import { patience, until } from '../support/wait.js';
import { submissionOf } from '../support/world.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let boards: string[];
let ann: Player;
let before: string[][];

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  studio = await makeStudio(app);
  game = await makeGame(studio);
  boards = [];
  for (let i = 0; i < 3; i += 1) boards.push((await makeBoard(studio, game.id, { boardType: 'COUNTER' })).id);
  boards.sort();
  ann = await startSession(app, game.id);
  for (const id of boards) {
    await submit(ann, id, 3);
    await submit(ann, id, 4);
  }
  before = await texts();
});

const texts = () => Promise.all(boards.map((id) => boardText(app.database, id)));
const identity = () => ann.session.identityId as string;
const due = (): Promise<Data[]> =>
  app.database.knex('identities_due').where('identity_id', uuidOf(identity()));

/** Another process on the same database, which looks when the test says so. */
const another = (moved: string[] = []) =>
  new RemovalWorker(app.database, app.clock.now, makeLog('silent'), (id) => moved.push(id));

/** Holds the second board's lock. @returns lets it go */
const holdSecond = () =>
  holding(app, 'select from board_rankings where board_id = $1 for update', uuidOf(boards[1]!));

/** Resolves when some backend of this database waits for a lock. */
async function somebodyWaits(): Promise<number> {
  const inTime = patience('a backend that waits for a lock');
  for (;;) {
    inTime();
    const { rows } = await app.database.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows[0]) return rows[0].pid;
  }
}

/** Deletes or restores the player and ends the work in the middle: the second board is in other hands, the wait cut short. */
async function deleteAndCrash(input: Data): Promise<void> {
  const letGo = await holdSecond();
  const answer = changeFault(studio.admin, 'Identity', identity(), input);
  const pid = await somebodyWaits();
  await app.database.pool.query('select pg_cancel_backend($1)', [pid]);
  expect(await answer).toBe('UNAVAILABLE');
  await letGo();
}

test('a removal that a dead process left is finished by another one after its lease', async () => {
  await deleteAndCrash({ deleted: true });
  expect((await texts()).map((board) => board.length)).toEqual([0, 1, 1]);
  expect(await due()).toMatchObject([{ effect: 'exclude' }]);
  const moved: string[] = [];
  expect(await another(moved).followDue()).toBe(0);
  app.clock.advance(LEASE_MS);
  expect(await another(moved).followDue()).toBe(1);
  expect(moved).toEqual(boards.slice(1));
  expect(await texts()).toEqual([[], [], []]);
  expect(await due()).toEqual([]);

  await deleteAndCrash({ deleted: false });
  expect((await texts()).map((board) => board.length)).toEqual([1, 0, 0]);
  // Not before all boards have the history back: a submission would be counted from nothing.
  expect(await ann.client.code('{ me { kind } }')).toBe('INVALID_TOKEN');
  app.clock.advance(LEASE_MS);
  expect(await another().followDue()).toBe(1);
  expect(await texts()).toEqual(before);
  app.clock.advance(1_000);
  expect((await submit(ann, boards[1]!, 1)).score.value).toBe(8);
});

test('a process looks for pending removals when it starts', async () => {
  await deleteAndCrash({ deleted: true });
  app.clock.advance(LEASE_MS);
  const process = another();
  process.start();
  await until(async () => (await due()).length === 0, 1);
  await process.close();
  expect(await texts()).toEqual([[], [], []]);
});

test('a repeated request finishes the removal, the opposite one reverses it', async () => {
  await deleteAndCrash({ deleted: true });
  await change(studio.admin, 'Identity', identity(), { deleted: true });
  expect(await texts()).toEqual([[], [], []]);
  await deleteAndCrash({ deleted: false });
  await change(studio.admin, 'Identity', identity(), { deleted: true });
  expect(await texts()).toEqual([[], [], []]);
  expect(await due()).toEqual([]);
  await change(studio.admin, 'Identity', identity(), { deleted: false });
  expect(await texts()).toEqual(before);
  for (const id of boards) await expectSound(app.database, id);
});

test.each([
  ['player', () => ['Identity', identity()]],
  ['device', () => ['Device', ann.session.deviceId as string]],
])(
  'a %s whose place is taken while its boards follow stays deleted, and they turn back',
  async (_name, named) => {
    const [kind, id] = named() as [string, string];
    await change(studio.admin, kind, id, { deleted: true });
    const letGo = await holdSecond();
    const answer = changeFault(studio.admin, kind, id, { deleted: false });
    await somebodyWaits();
    expect((await texts()).map((board) => board.length)).toEqual([1, 0, 0]);
    const fresh = await startSession(app, game.id, { clientFingerprint: ann.session.clientFingerprint });
    expect(fresh.session.identityId).not.toBe(identity());
    await letGo();
    expect(await answer).toBe('CONFLICT');
    expect(await texts()).toEqual([[], [], []]);
    expect(await due()).toEqual([]);
    for (const board of boards) await expectSound(app.database, board);
    expect((await submit(fresh, boards[0]!, 2)).score.value).toBe(2);
    // The one that took the place leaves it again: nothing was lost.
    await change(studio.admin, 'Device', fresh.session.deviceId, { deleted: true });
    await change(studio.admin, kind, id, { deleted: false });
    expect(await texts()).toEqual(before);
  },
);

test('several processes at once remove a player once', async () => {
  await deleteAndCrash({ deleted: true });
  app.clock.advance(LEASE_MS);
  const processes = [1, 2, 3, 4].map(() => another());
  const settled = await Promise.all(processes.map((process) => process.followDue()));
  expect(settled.reduce((sum, n) => sum + n, 0)).toBe(1);
  await app.database.knex('identities_due').insert({
    identity_id: uuidOf(identity()),
    effect: 'exclude',
    ticket: randomUUID(),
    leased_until: new Date(app.clock.now()),
  });
  await Promise.all(processes.map((process) => process.follow(identity())));
  const rulings = await app.database.knex('rulings').where('identity_id', uuidOf(identity()));
  expect(rulings.map(({ board_id }: Data) => `brd_${board_id}`).toSorted()).toEqual(boards);
});

test.each([
  ['on a board it stands on', 0],
  ['that is the first on its board, whose rows are not visible yet', 3],
])(
  'a batch that is being committed while its player is deleted, %s, leaves nothing',
  async (_name, index) => {
    boards.push((await makeBoard(studio, game.id, { boardType: 'COUNTER' })).id);
    const client = await app.database.pool.connect();
    let commit = () => {};
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let reached = () => {};
    const committing = new Promise<void>((resolve) => {
      reached = resolve;
    });
    // The real batch on a real connection; the test decides when it commits.
    const gated = new Proxy(client, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
        return async (query: unknown, ...rest: unknown[]) => {
          if (query === 'commit') {
            reached();
            await held;
          }
          return (value as (...args: unknown[]) => unknown).apply(target, [query, ...rest]);
        };
      },
    });
    const world = { accountId: studio.accountId, gameId: game.id };
    const batch = ingest(gated, app.clock.now, [
      submissionOf(world, boards[index]!, identity(), { amount: 5, isTest: false, playerName: 'Ann' }),
    ]);
    await committing;
    const deleted = change(studio.admin, 'Identity', identity(), { deleted: true });
    await somebodyWaits();
    commit();
    expect(await batch).toMatchObject([{ kept: true }]);
    client.release();
    await deleted;
    expect(await texts()).toEqual([[], [], [], []]);
    for (const id of boards) await expectSound(app.database, id);
    await change(studio.admin, 'Identity', identity(), { deleted: false });
    const values = (await Promise.all(boards.map((id) => standings(studio.admin, id)))).flat();
    expect(values.toSorted()).toEqual([
      index === 3 ? '1 Ann 5' : '1 Ann 12',
      '1 Ann 7',
      '1 Ann 7',
      ...(index === 3 ? ['1 Ann 7'] : []),
    ]);
  },
);

test('verify-ranks finds a deleted player on a board, and a live one that is missing', async () => {
  const player = () => app.database.knex('identities').where('id', uuidOf(identity()));
  await player().update({ deleted_at: new Date(app.clock.now()) });
  const faults = await verifyBoard(app.database, boards[0]!);
  expect(faults.map(({ sentence }) => sentence)).toEqual([
    `player ${uuidOf(identity())} is deleted and stands on the board`,
  ]);
  await player().update({ deleted_at: null });
  await change(studio.admin, 'Identity', identity(), { deleted: true });
  await player().update({ deleted_at: null });
  expect((await verifyBoard(app.database, boards[0]!)).map(({ sentence }) => sentence)).toEqual([
    `player ${uuidOf(identity())} is not deleted and is kept off the board`,
  ]);
});
