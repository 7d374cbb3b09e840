import pg from 'pg';
import { uuidOf } from '../../src/base/ids.js';
import { type Format, valueText } from '../../src/base/value-format.js';
import { readStandings, type Standings } from '../../src/live/standings.js';
import { ownAddress } from '../../src/rankings/address.js';
import { startApp, type TestApp } from '../support/app.js';
import { Dice } from '../support/hostile/dice.js';
import type { Data } from '../support/http.js';
import { runsOf } from '../support/lane.js';
import { begin, dataOf, OVERTAKEN, RANKS, until, WATCH } from '../support/live.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit } from '../support/play.js';
import { TestSocket } from '../support/socket.js';
import { patience } from '../support/wait.js';

// The messages of rankChanged and overtaken against counted rows: over random histories, for every kind of board, whose format changes.

const PLAYERS = 6;
const FORMATS: (Format | null)[] = [
  null,
  { kind: 'TIME', decimals: null, timeUnit: 'MILLISECONDS' },
  { kind: 'PERCENT', decimals: 1, timeUnit: null },
  { kind: 'NUMBER', decimals: 2, timeUnit: null },
];
const STEPS = runsOf(24, 10);

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

interface Place {
  rank: number;
  value: number;
  /** The players in order, from rank 1 on. */
  above: Data | undefined;
}

interface Counted {
  version: number;
  entries: number;
  of: Map<string, Place>;
}

/** The board as row_number() counts it: each player's best entry. */
async function counted(boardId: string): Promise<Counted> {
  const { rows } = await app.database.knex.raw<{ rows: Data[] }>(
    `select b.version, e.identity_id, e.value, e.player_name, row_number() over (order by e.rank_key, e.seq) as rank
     from board_rankings b
     left join entries e on e.board_id = b.board_id and e.generation = b.generation and not e.is_test and e.ranked
     where b.board_id = ? order by e.rank_key, e.seq`,
    [uuidOf(boardId)],
  );
  const entries = rows.filter(({ identity_id }) => identity_id !== null);
  const of = new Map<string, Place>();
  for (const [i, row] of entries.entries()) {
    const id = `ide_${row.identity_id}`;
    if (!of.has(id)) of.set(id, { rank: row.rank, value: row.value, above: entries[i - 1] });
  }
  return { version: rows[0]!.version, entries: entries.length, of };
}

const onlyPlace = ({ rank, value }: Place) => ({ rank, value });
const placesOf = ({ of }: Counted) => [...of].map(([id, place]) => [id, onlyPlace(place)]);

function expectTrue(message: Data, state: Counted): void {
  const place = state.of.get(message.identityId);
  const { above } = place ?? {};
  expect(message).toMatchObject({
    entry: place ? onlyPlace(place) : null,
    totalCount: state.entries,
    nextAbove: above ? { rank: above.rank, value: above.value, playerName: above.player_name } : null,
    gapToNext: above ? Math.abs(above.value - place!.value) : null,
  });
}

/** Standings as they are read one after the other: by keys first, then as the size of the board makes it. */
class Reader {
  #before: Standings | undefined;

  /** @param entries how many the board is taken to have: how it is read is chosen by that */
  constructor(
    private readonly boardId: string,
    private readonly ids: string[],
    private readonly entries: number,
  ) {}

  async expectRead(state: Counted): Promise<void> {
    const before = this.#before && { ...this.#before, entryCount: this.entries };
    const read = await readStandings(app.database.pool, ownAddress(this.boardId), false, this.ids, before);
    expect({ version: read.version, entryCount: read.entryCount }).toEqual({
      version: state.version,
      entryCount: state.entries,
    });
    expect([...read.byPlayer.keys()]).toEqual(this.ids);
    for (const [id, standing] of read.byPlayer) {
      const place = state.of.get(id);
      const above = place?.above && {
        value: place.above.value,
        playerName: place.above.player_name,
        identityId: `ide_${place.above.identity_id}`,
      };
      const { rank, value } = standing ?? {};
      expect({ rank, value }).toEqual({ rank: place?.rank, value: place?.value });
      if (above) expect(standing?.above).toMatchObject(above);
      else expect(standing?.above ?? undefined).toBeUndefined();
      const known = this.#before?.byPlayer.get(id);
      if (!read.changed.has(id)) expect(standing).toEqual(known);
    }
    this.#before = read;
  }
}

/** Players who moved and stand above the player now, but were below or absent before. A player who falls back was not passed. */
function passedBy(me: string, before: Counted, now: Counted): string[] {
  const mine = [before.of.get(me), now.of.get(me)];
  if (!mine[0] || !mine[1]) return [];
  return [...now.of]
    .filter(([id, place]) => id !== me && place.rank < mine[1]!.rank)
    .filter(([id, place]) => before.of.get(id)?.value !== place.value)
    .filter(([id]) => (before.of.get(id)?.rank ?? Number.POSITIVE_INFINITY) > mine[0]!.rank)
    .map(([id]) => id)
    .toSorted();
}

test.each([
  [1, { keepStrategy: 'BEST' }],
  [2, { keepStrategy: 'LAST', sortDirection: 'ASC' }],
  [3, { keepStrategy: 'FIRST' }],
  [4, { keepStrategy: 'ALL', sortDirection: 'ASC' }],
  [5, { boardType: 'COUNTER' }],
] as [number, Data][])('seed %i: %j', async (seed, rules) => {
  const dice = new Dice(seed);
  const game = await makeGame(studio, { antiCheatEnabled: false });
  const { id } = await makeBoard(studio, game.id, rules);
  const players = await Promise.all(Array.from({ length: PLAYERS }, () => startSession(app, game.id)));
  const idOf = ({ session }: Player): string => session.identityId;
  const me = players[0]!;
  const mine = await TestSocket.connect(app.url, me.client.headers);
  const admin = await TestSocket.connect(app.url, studio.admin.headers);
  const board = await TestSocket.connect(app.url);
  const states = new Map<number, Counted>([[0, await counted(id)]]);
  const ranks: Data[] = [];
  begin(admin, RANKS, { id, identityIds: players.map(idOf) });
  for (const _ of players) ranks.push(dataOf(await admin.next()));
  begin(mine, OVERTAKEN, { id });
  expect(dataOf(await mine.next())).toMatchObject({ entry: null, count: 0 });
  begin(board, WATCH, { id });
  await board.next();

  // Of its own, so that the runs stay those of the seed.
  const looks = new Dice(seed + 1_000);
  let format: Format | null = null;
  const settled = async (now: Counted) => {
    const newest = new Map(ranks.map((message) => [message.identityId, message]));
    const isFinal = () =>
      players.every((player) => {
        const [message, place] = [newest.get(idOf(player)), now.of.get(idOf(player))];
        const text = place && format ? valueText(format, null, place.value) : null;
        const { rank, value, valueDisplay = null } = message.entry ?? {};
        return rank === place?.rank && value === place?.value && valueDisplay === text;
      });
    const inTime = patience('the newest rank of every player');
    while (!isFinal()) {
      inTime();
      const message = dataOf(await admin.next());
      newest.set(message.identityId, message);
      ranks.push(message);
    }
  };

  const readers = [0, Number.POSITIVE_INFINITY].map((entries) => new Reader(id, players.map(idOf), entries));
  const deleted = new Set<Player>();
  let passings = 0;
  let state = states.get(0)!;
  for (let step = 0; step < STEPS; step += 1) {
    const player = step === 0 ? me : dice.pick(players);
    if (player !== me && dice.chance(0.15)) {
      const gone = deleted.delete(player);
      if (!gone) deleted.add(player);
      await change(studio.admin, 'Identity', idOf(player), { deleted: !gone });
    } else if (looks.chance(0.1)) {
      format = looks.pick(FORMATS);
      await change(studio.admin, 'Board', id, { format });
      // It moves nobody.
      expect(placesOf(await counted(id))).toEqual(placesOf(state));
    } else if (!deleted.has(player)) {
      // Few values: ties are common.
      const value = 1 + dice.below(player === me ? 4 : 8);
      await submit(player, id, value, { playerName: `P${players.indexOf(player)}` });
    }
    const now = await counted(id);
    if (now.version === state.version) continue;
    states.set(now.version, now);
    for (const reader of readers) await reader.expectRead(now);
    await until(board, ({ version }) => version === now.version);
    // A page is read on its own and may be ahead of the ranks, which then would be sent of two versions at once.
    await settled(now);
    const passers = passedBy(idOf(me), state, now);
    if (passers.length > 0) {
      const event = dataOf(await mine.next());
      expect(event).toMatchObject({
        version: now.version,
        entry: { rank: now.of.get(idOf(me))!.rank },
        previousRank: state.of.get(idOf(me))!.rank,
        count: passers.length,
      });
      expect(event.by.map(({ identityId }: Data) => identityId).toSorted()).toEqual(passers);
      for (const { identityId, rank, value } of event.by) {
        expect({ rank, value }).toEqual(onlyPlace(now.of.get(identityId)!));
      }
      passings += 1;
    }
    state = now;
  }
  await Promise.all([mine, admin, board].map((socket) => socket.close()));
  for (const message of ranks) expectTrue(message, states.get(message.version)!);
  expect(ranks.length).toBeGreaterThan(PLAYERS);
  expect(passings).toBeGreaterThan(0);
});

test('a run that arrives while passings are read is reported with its own version', async () => {
  const game = await makeGame(studio, { antiCheatEnabled: false });
  const { id } = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
  await submit(ann, id, 10);
  await submit(bob, id, 1);
  const socket = await TestSocket.connect(app.url, ann.client.headers);
  begin(socket, OVERTAKEN, { id });
  expect(dataOf(await socket.next())).toMatchObject({ entry: { rank: 1 }, count: 0 });
  const { query } = pg.Client.prototype;
  let passing: Promise<unknown> | undefined;
  const held = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...parts: unknown[]
  ) {
    if ((parts[0] as Partial<pg.QueryConfig> | undefined)?.name !== 'watched_movers' || passing)
      return query.apply(this, parts as never);
    passing = submit(bob, id, 6);
    return passing.then(() => query.apply(this, parts as never));
  });
  // Bob stays behind, and passes before it is known who moved.
  await submit(bob, id, 6);
  const event = dataOf(await socket.next());
  held.mockRestore();
  expect(passing).toBeDefined();
  const { version } = await counted(id);
  expect(event).toMatchObject({
    version,
    entry: { rank: 2 },
    previousRank: 1,
    count: 1,
    by: [{ rank: 1, value: 13 }],
  });
  await socket.close();
});
