import fc from 'fast-check';
import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { runsOf } from '../support/lane.js';
import { change, makeBoard, makeGame, makeStudio, type Studio, unique } from '../support/make.js';
import { boardText, expectSound } from '../support/standings.js';

const RUNS = runsOf(12, 1);
const PLAYERS = 4;
const KINDS = [
  { keepStrategy: 'BEST' },
  { keepStrategy: 'LAST', sortDirection: 'ASC' },
  { keepStrategy: 'ALL' },
  { boardType: 'COUNTER' },
];

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const CREATE =
  'mutation ($input: CreateScoreEventInput!) { createScoreEvent(input: $input) { submission { kept } } }';
const DELETE = 'mutation ($id: ID!) { deleteIdentity(input: { id: $id }) { deletedId } }';
const RESTORE = 'mutation ($id: ID!) { restore(input: { id: $id }) { node { id } } }';

/** All of a step's actions are in flight together. */
type Action =
  | { kind: 'submit'; player: number; board: number; value: number; isTest: boolean }
  | { kind: 'delete' | 'restore'; player: number };

const player = fc.nat(PLAYERS - 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      player,
      board: fc.nat(KINDS.length - 1),
      value: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.1, 0.2, -0.3, 1e15)),
      isTest: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'restore' as const), player }),
  },
);
const history = fc.record({
  /** Deleted before it all begins, so that every history has a submission that is refused. */
  gone: player,
  steps: fc.array(fc.array(action, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 }),
});

async function makePlayer(): Promise<string> {
  const { createIdentity } = await studio.admin.data(
    'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { identity { id } } }',
    { input: { gameId: game.id, kind: 'CUSTOM', externalKey: `player ${unique()}` } },
  );
  return createIdentity.identity.id;
}

test('boards stay sound while players are deleted and restored among submissions', async () => {
  let refused = 0;
  let removed = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ gone: first, steps }) => {
      const boards: string[] = [];
      for (const kind of KINDS) boards.push((await makeBoard(studio, game.id, kind)).id);
      const players = await Promise.all(Array.from({ length: PLAYERS }, makePlayer));
      const play = async (act: Action) => {
        const identityId = players[act.player]!;
        if (act.kind !== 'submit') {
          const answer = await studio.admin.graphql(act.kind === 'delete' ? DELETE : RESTORE, {
            id: identityId,
          });
          // Two requests for opposite things at once: the one that lost may find the other's result.
          for (const { extensions } of answer.errors ?? []) expect(extensions.code).toBe('NOT_FOUND');
          return;
        }
        const input = { boardId: boards[act.board]!, identityId, value: act.value + 0, isTest: act.isTest };
        const answer = await studio.admin.graphql(CREATE, { input: { ...input, playerName: 'P' } });
        for (const { extensions } of answer.errors ?? []) expect(extensions.code).toBe('NOT_FOUND');
        refused += answer.errors ? 1 : 0;
      };
      await play({ kind: 'delete', player: first });
      await play({ kind: 'submit', player: first, board: 0, value: 1, isTest: false });
      for (const step of steps) {
        app.clock.advance(1_000);
        await Promise.all(step.map(play));
        const gone: Data[] = await app.database
          .knex('identities')
          .whereIn('id', players.map(uuidOf))
          .whereNotNull('deleted_at');
        for (const board of boards) {
          await expectSound(app.database, board);
          const lines = await boardText(app.database, board);
          for (const { id } of gone) expect(lines.filter((line) => line.includes(id))).toEqual([]);
        }
        removed += gone.length;
      }
      expect(await app.database.knex('identities_due')).toEqual([]);

      for (const id of players) await change(studio.admin, 'Identity', id, { deleted: false });
      const full = await Promise.all(boards.map((board) => boardText(app.database, board)));
      // Without a single ruling, from the events alone.
      for (const id of players) {
        await change(studio.admin, 'Identity', id, { deleted: true });
      }
      for (const board of boards) expect(await boardText(app.database, board)).toEqual([]);
      await app.database.knex('rulings').whereIn('board_id', boards.map(uuidOf)).delete();
      await app.database.knex('identities').whereIn('id', players.map(uuidOf)).update({ deleted_at: null });
      for (const board of boards) {
        await app.database.knex.raw(
          `select rederive(board_id, ?::uuid[], now()) from board_rankings where board_id = ?`,
          [players.map(uuidOf), uuidOf(board)],
        );
      }
      expect(await Promise.all(boards.map((board) => boardText(app.database, board)))).toEqual(full);
    }),
    { numRuns: RUNS },
  );
  expect(refused).toBeGreaterThanOrEqual(RUNS);
  expect(removed).toBeGreaterThan(0);
}, 600_000);
