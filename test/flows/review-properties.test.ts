import fc from 'fast-check';
import { idOf, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { Changes } from '../../src/db/changes.js';
import type { Database } from '../../src/db/pool.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { startApp, type TestApp } from '../support/app.js';
import { flag, makePlayer, review, reviewRuns, undo } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { runsOf } from '../support/lane.js';
import { makeBoard, makeGame, makeStudio, type Studio, unique } from '../support/make.js';
import { derivedText, ratioModel } from '../support/ratio.js';
import { boardText, expectSound } from '../support/standings.js';

type Status = 'pending' | 'confirmed_cheat' | 'false_positive' | 'dismissed';
type Effect = 'include' | 'review' | 'exclude';

/** A submission as the log has it. Ids prefixed. */
interface Event {
  id: string;
  board: string;
  player: string;
  isTest: boolean;
  seq: number;
  amount: number;
}

interface KnownFlag {
  /** Unknown until it was seen: reviews of runs add flags of their own. */
  id: string | undefined;
  event: Event;
  /** The decisions, by hand or by a review of runs. */
  log: { status: Status; by: string | undefined }[];
  deleted: boolean;
  addedBy: string | undefined;
}

/** A plain model of flags: each is what the decisions say that were not taken back. */
class FlagModel {
  readonly #flags: KnownFlag[] = [];
  readonly undone = new Set<string>();

  raise(event: Event, id: string): void {
    this.#flags.push({ id, event, log: [], deleted: false, addedBy: undefined });
  }

  #standing({ log }: KnownFlag) {
    return log.filter(({ by }) => by === undefined || !this.undone.has(by));
  }

  status(flag: KnownFlag): Status {
    return this.#standing(flag).at(-1)?.status ?? 'pending';
  }

  live(): KnownFlag[] {
    return this.#flags.filter(({ deleted }) => !deleted);
  }

  deleted(): KnownFlag[] {
    return this.#flags.filter(({ deleted }) => deleted);
  }

  /** By hand; what it is already is no decision. */
  decide(flag: KnownFlag, status: Status): void {
    if (this.status(flag) !== status) flag.log.push({ status, by: undefined });
  }

  decideAll(events: Event[], status: Status, by: string): void {
    for (const event of events) {
      let flags = this.live().filter((known) => known.event.id === event.id);
      if (flags.length === 0 && status === 'confirmed_cheat') {
        const added: KnownFlag = { id: undefined, event, log: [], deleted: false, addedBy: by };
        this.#flags.push(added);
        flags = [added];
      }
      for (const known of flags) known.log.push({ status, by });
    }
  }

  takeBack(by: string): void {
    this.undone.add(by);
    for (const known of this.live()) {
      if (known.addedBy && this.#standing(known).length === 0) known.deleted = true;
    }
  }

  restore(flag: KnownFlag): void {
    flag.deleted = false;
    flag.addedBy = undefined;
  }

  /** Learns the ids of flags that reviews of runs have added: one an event at a time. */
  meet(rows: { id: string; eventId: string }[]): void {
    const known = new Set(this.#flags.map(({ id }) => id));
    for (const unnamed of this.#flags.filter(({ id }) => id === undefined)) {
      unnamed.id = rows.find((row) => row.eventId === unnamed.event.id && !known.has(row.id))?.id;
      known.add(unnamed.id);
    }
  }

  effect(event: Event): Effect {
    const statuses = this.live()
      .filter((known) => known.event.id === event.id)
      .map((known) => this.status(known));
    if (statuses.includes('confirmed_cheat')) return 'exclude';
    return statuses.includes('pending') ? 'review' : 'include';
  }

  caught(player: string): boolean {
    return this.live().some(
      (known) => known.event.player === player && this.status(known) === 'confirmed_cheat',
    );
  }
}

/** An entry as a line: population, value, number that decides ties, status. */
function line(isTest: boolean, value: number, seq: number, status: string): string {
  return `${isTest} ${value} ${seq} ${status}`;
}

type Held = Event & { effect: Effect };

/** A board's entries by a plain replay of the events: ranked entries in order, then the hidden ones. */
function expectedEntries(board: Data, events: Held[]): { ranked: string[]; hidden: number } {
  const sign = board.sortDirection === 'ASC' ? 1 : -1;
  const ranked: { isTest: boolean; value: number; seq: number; status: string }[] = [];
  let hidden = 0;
  for (const isTest of [false, true]) {
    const own = events.filter((event) => event.isTest === isTest);
    const groups =
      board.keepStrategy === 'ALL' && board.boardType !== 'COUNTER'
        ? own.map((event) => [event])
        : byPlayer(own);
    for (const group of groups) {
      const counting = group.filter(({ effect }) => effect !== 'exclude');
      if (counting.length === 0) hidden += 1;
      else ranked.push({ isTest, ...replayed(board, counting, sign) });
    }
  }
  ranked.sort((a, b) => Number(a.isTest) - Number(b.isTest) || sign * (a.value - b.value) || a.seq - b.seq);
  return { ranked: ranked.map(({ isTest, value, seq, status }) => line(isTest, value, seq, status)), hidden };
}

function byPlayer(events: Held[]): Held[][] {
  const groups = new Map<string, Held[]>();
  for (const event of events) groups.set(event.player, [...(groups.get(event.player) ?? []), event]);
  return [...groups.values()];
}

function replayed(board: Data, events: Held[], sign: number): { value: number; seq: number; status: string } {
  const statusOf = ({ effect }: Held) => (effect === 'review' ? 'under_review' : 'active');
  const [first, ...rest] = events as [Held, ...Held[]];
  let entry = { value: first.amount, seq: first.seq, status: statusOf(first) };
  for (const event of rest) {
    if (board.boardType === 'COUNTER') {
      const value = entry.value + event.amount;
      const status = entry.status === 'under_review' ? entry.status : statusOf(event);
      entry = { value, seq: value === entry.value ? entry.seq : event.seq, status };
    } else if (board.keepStrategy === 'LAST') {
      const seq = event.amount === entry.value ? entry.seq : event.seq;
      entry = { value: event.amount, seq, status: statusOf(event) };
    } else if (board.keepStrategy === 'BEST' && sign * event.amount < sign * entry.value) {
      entry = { value: event.amount, seq: event.seq, status: statusOf(event) };
    }
  }
  return entry;
}

/** A board's entries in the form of {@link expectedEntries}. */
async function boardEntries(db: Database, boardId: string): Promise<{ ranked: string[]; hidden: number }> {
  const rows: Data[] = await db
    .knex('entries as e')
    .join('board_rankings as r', (on) =>
      on.on('r.board_id', 'e.board_id').andOn('r.generation', 'e.generation'),
    )
    .where('e.board_id', uuidOf(boardId))
    .orderBy(['e.is_test', 'e.rank_key', 'e.seq'])
    .select('e.*');
  return {
    ranked: rows
      .filter(({ ranked }) => ranked)
      .map((row) => line(row.is_test, row.value, row.seq, row.status)),
    hidden: rows.filter(({ ranked, status }) => !ranked && status === 'rejected').length,
  };
}

const PLAYERS = 3;
/** Of each board; the last two are those of the ratio. */
const KINDS = [
  { keepStrategy: 'BEST' },
  { keepStrategy: 'LAST', sortDirection: 'ASC' },
  { keepStrategy: 'FIRST' },
  { keepStrategy: 'ALL' },
  { boardType: 'COUNTER' },
  { boardType: 'COUNTER' },
];
const RATIO = { swapped: false, zero: 'null', minNumerator: 0, minDenominator: 0, scale: 1 } as const;

/** Positions are taken modulo what is there. */
type Act =
  | { kind: 'flag'; event: number }
  | { kind: 'review'; flag: number; status: Status }
  | { kind: 'delete' | 'restore'; flag: number }
  | { kind: 'runs'; player: number; decision: Exclude<Status, 'pending'> }
  | { kind: 'undo'; review: number };

/** Positions of a player and a board, and what is submitted. */
interface Played {
  player: number;
  board: number;
  value: number;
  isTest: boolean;
}

interface Reviewed {
  app: TestApp;
  studio: Studio;
  ratios: Ratios;
}

const CREATE =
  'mutation ($input: CreateScoreEventInput!) { createScoreEvent(input: $input) { submission { kept } } }';

/** Submissions and reviews of one game, beside the model that says what they must come to. */
class ReviewStory {
  readonly model = new FlagModel();
  readonly reviews: string[] = [];

  private constructor(
    private readonly on: Reviewed,
    readonly boards: Data[],
    readonly ratio: string,
    readonly players: string[],
  ) {}

  static async begin(on: Reviewed): Promise<ReviewStory> {
    // Flags are this story's alone.
    const game = await makeGame(on.studio, { antiCheatEnabled: false });
    const boards = await Promise.all(KINDS.map((kind) => makeBoard(on.studio, game.id, kind)));
    const ratio = await makeBoard(on.studio, game.id, {
      boardType: 'RATIO',
      ratioConfig: { numeratorBoardId: boards[4]!.id, denominatorBoardId: boards[5]!.id },
    });
    const players = await Promise.all(
      Array.from({ length: PLAYERS }, () => makePlayer(on.studio.admin, game.id, `player ${unique()}`)),
    );
    return new ReviewStory(on, boards, ratio.id, players);
  }

  async submit({ player, board, value, isTest }: Played): Promise<void> {
    const input = {
      boardId: this.boards[board]!.id,
      identityId: this.players[player]!,
      value,
      isTest,
      playerName: 'P',
    };
    await this.on.studio.admin.data(CREATE, { input });
  }

  /** The log of submissions, which nothing ever changes. */
  async events(): Promise<Event[]> {
    const rows: Data[] = await this.on.app.database
      .knex('score_events')
      .whereIn(
        'board_id',
        this.boards.map(({ id }) => uuidOf(id)),
      )
      .orderBy(['board_id', 'seq']);
    return rows.map((row) => ({
      id: idOf('scoreEvent', row.id),
      board: idOf('board', row.board_id),
      player: idOf('identity', row.identity_id),
      isTest: row.is_test,
      seq: row.seq,
      amount: row.amount,
    }));
  }

  async do(act: Act): Promise<void> {
    const { model } = this;
    const chosen = <T>(from: T[], position: number): T | undefined => from[position % from.length];
    const events = await this.events();
    if (act.kind === 'flag') {
      const event = chosen(events, act.event)!;
      model.raise(event, (await flag(this.on.studio.admin, event.id)).id);
    } else if (act.kind === 'runs') {
      const input = { identityId: this.players[act.player]!, decision: act.decision.toUpperCase() };
      const before = await this.ranks();
      const dry = await reviewRuns(this.on.studio.admin, { ...input, dryRun: true });
      expect(await this.ranks()).toEqual(before);
      const done = await reviewRuns(this.on.studio.admin, input);
      expect(done.review.status).toBe('APPLIED');
      const after = await this.ranks();
      const moved = (previews: Data[]) =>
        new Map(
          previews.filter((board) => board.moved > 0).map((board) => [board.boardId, board.moved] as const),
        );
      const truth = [...before].map(
        ([board, ranks]) => [board, movedBetween(ranks, after.get(board)!)] as const,
      );
      expect(moved(dry.boards)).toEqual(new Map(truth.filter(([, n]) => n > 0)));
      expect(moved(done.boards)).toEqual(
        new Map(truth.filter(([board, n]) => n > 0 && board !== this.ratio)),
      );
      model.decideAll(
        events.filter(({ player }) => player === input.identityId),
        act.decision,
        done.review.id,
      );
      this.reviews.push(done.review.id);
    } else if (act.kind === 'undo') {
      const id = chosen(this.reviews, act.review);
      if (!id) return;
      expect((await undo(this.on.studio.admin, id)).status).toBe('UNDONE');
      model.takeBack(id);
    } else if (act.kind === 'review') {
      const chosenFlag = chosen(model.live(), act.flag);
      if (!chosenFlag) return;
      await review(this.on.studio.admin, chosenFlag.id!, { status: act.status.toUpperCase() });
      model.decide(chosenFlag, act.status);
    } else {
      const chosenFlag = chosen(act.kind === 'delete' ? model.live() : model.deleted(), act.flag);
      if (!chosenFlag) return;
      await review(this.on.studio.admin, chosenFlag.id!, { deleted: act.kind === 'delete' });
      if (act.kind === 'delete') chosenFlag.deleted = true;
      else model.restore(chosenFlag);
    }
    await this.compareFlags();
  }

  /** Ranks by score on every board, both populations. */
  async ranks(): Promise<Map<string, Map<string, string>>> {
    const found = new Map<string, Map<string, string>>();
    for (const id of [...this.boards.map((board) => board.id), this.ratio]) {
      const { rows } = await this.on.app.database.knex.raw<{ rows: { id: string; rank: string }[] }>(
        `select e.id || ' ' || e.is_test as id, row_number() over (partition by e.is_test order by e.rank_key, e.seq) as rank
         from entries e join board_rankings b on b.board_id = e.board_id and b.generation = e.generation
         where e.board_id = ? and e.ranked`,
        [uuidOf(id)],
      );
      found.set(id, new Map(rows.map((row) => [row.id, row.rank])));
    }
    return found;
  }

  /** The flags there are, and what was decided about them. */
  async compareFlags(): Promise<void> {
    const rows: Data[] = await this.on.app.database
      .knex('score_flags')
      .whereIn(
        'board_id',
        this.boards.map(({ id }) => uuidOf(id)),
      )
      .orderBy('id');
    this.model.meet(
      rows.map((row) => ({ id: idOf('scoreFlag', row.id), eventId: idOf('scoreEvent', row.event_id) })),
    );
    const there = rows.filter((row) => !row.deleted_at).map((row) => `flg_${row.id} ${row.status}`);
    const expected = this.model.live().map((known) => `${known.id} ${this.model.status(known)}`);
    expect(there).toEqual(expected.toSorted());
  }

  /** Every board is what the events and the flags that stand make of it. */
  async compare(): Promise<void> {
    await this.on.ratios.followAll();
    const events = await this.events();
    for (const board of this.boards) {
      await expectSound(this.on.app.database, board.id);
      const own = events.filter((event) => event.board === board.id);
      const held = own.map((event) => ({ ...event, effect: this.model.effect(event) }));
      expect(await boardEntries(this.on.app.database, board.id)).toEqual(expectedEntries(board, held));
    }
    await expectSound(this.on.app.database, this.ratio);
    const [left, right] = [this.boards[4]!.id, this.boards[5]!.id];
    const rules = { ...RATIO, display: 'raw', decimals: 2 } as const;
    expect(await derivedText(this.on.app.database, this.ratio)).toEqual(
      await ratioModel(this.on.app.database, left, right, 'desc', rules),
    );
    for (const player of this.players) {
      const row = await this.on.app.database.knex('identities').where('id', uuidOf(player)).first();
      expect([player, row.trust_tier]).toEqual([player, this.model.caught(player) ? 'c' : null]);
    }
  }

  /** Without any flag or ruling, from the events alone. */
  async pure(): Promise<string[][]> {
    const { knex } = this.on.app.database;
    const boards = this.boards.map(({ id }) => uuidOf(id));
    for (const table of ['rulings', 'flag_reviews', 'score_flags'])
      await knex(table).whereIn('board_id', boards).delete();
    for (const board of boards) {
      await knex.raw('select rederive(board_id, ?::uuid[], ?) from board_rankings where board_id = ?', [
        this.players.map(uuidOf),
        new Date(this.on.app.clock.now()),
        board,
      ]);
    }
    return this.texts();
  }

  texts(): Promise<string[][]> {
    return Promise.all(this.boards.map(({ id }) => boardText(this.on.app.database, id)));
  }
}

function movedBetween(before: Map<string, string>, after: Map<string, string>): number {
  return [...new Set([...before.keys(), ...after.keys()])].filter((id) => before.get(id) !== after.get(id))
    .length;
}

const RUNS = runsOf(5, 1);

let app: TestApp;
let studio: Studio;
let ratios: Ratios;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  ratios = new Ratios(app.database, app.clock.now, makeLog('fatal'), new Changes(), () => undefined);
});
afterAll(async () => {
  await ratios.close();
  await app.close();
});

const decision = fc.constantFrom('confirmed_cheat' as const, 'false_positive' as const, 'dismissed' as const);
const submission = fc.record({
  player: fc.nat(PLAYERS - 1),
  board: fc.nat(KINDS.length - 1),
  value: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.1, 0.2, -0.3, 1e15)).map((x) => x + 0),
  isTest: fc.integer({ min: 0, max: 4 }).map((x) => x === 0),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('flag' as const), event: fc.nat() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('review' as const),
      flag: fc.nat(),
      status: fc.oneof(decision, fc.constant('pending' as const)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'restore' as const), flag: fc.nat() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('runs' as const), player: fc.nat(PLAYERS - 1), decision }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('undo' as const), review: fc.nat() }) },
);
/** A wave of submissions that are in flight together, then acts one after the other. */
const history = fc.array(
  fc.record({
    wave: fc.array(submission, { minLength: 1, maxLength: 16 }),
    acts: fc.array(act, { minLength: 1, maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 3 },
);

/** One of each, for few runs, of which chance may bring none. */
const EVERY_ACT: typeof history extends fc.Arbitrary<infer T> ? T : never = [
  {
    wave: [1, 3, 2].map((value, board) => ({ player: board % 2, board, value, isTest: false })),
    acts: [
      { kind: 'flag', event: 0 },
      { kind: 'review', flag: 0, status: 'confirmed_cheat' },
      { kind: 'delete', flag: 0 },
      { kind: 'restore', flag: 0 },
      { kind: 'runs', player: 0, decision: 'confirmed_cheat' },
      { kind: 'undo', review: 0 },
    ],
  },
];

test('any sequence of reviews, deletions and undone reviews among submissions ends as the remaining flags say', async () => {
  let reviews = 0;
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const story = await ReviewStory.begin({ app, studio, ratios });
      for (const { wave, acts } of steps) {
        app.clock.advance(1_000);
        await Promise.all(wave.map((one) => story.submit(one)));
        await ratios.followAll();
        for (const one of acts) {
          app.clock.advance(10);
          await story.do(one);
          await ratios.followAll();
        }
        await story.compare();
      }
      reviews += story.reviews.length;
      // At last everything is cleared: as if there had never been a flag.
      for (const known of story.model.live()) await review(studio.admin, known.id!, { status: 'DISMISSED' });
      const cleared = await story.texts();
      expect(await story.pure()).toEqual(cleared);
    }),
    { numRuns: RUNS, examples: [[EVERY_ACT]] },
  );
  expect(reviews).toBeGreaterThan(0);
}, 600_000);

test('concurrent reviews leave every board sound, and undone ones leave no trace', async () => {
  const story = await ReviewStory.begin({ app, studio, ratios });
  for (let i = 0; i < 60; i += 1) {
    await story.submit({
      player: i % PLAYERS,
      board: i % KINDS.length,
      value: (i * 7) % 11,
      isTest: i % 9 === 0,
    });
  }
  await ratios.followAll();
  const texts = async () => [...(await story.texts()), await boardText(app.database, story.ratio)];
  const before = await texts();
  const decisions = ['CONFIRMED_CHEAT', 'FALSE_POSITIVE', 'CONFIRMED_CHEAT', 'DISMISSED'];
  const asked = await Promise.all(
    decisions.flatMap((decision) =>
      story.players.map((identityId) => reviewRuns(studio.admin, { identityId, decision })),
    ),
  );
  await Promise.all(asked.map(({ review: made }) => undo(studio.admin, made.id)));
  for (const { id } of story.boards) await expectSound(app.database, id);
  await ratios.followAll();
  expect(await texts()).toEqual(before);
  expect(
    await app.database
      .knex('score_flags')
      .whereIn('identity_id', story.players.map(uuidOf))
      .whereNull('deleted_at'),
  ).toEqual([]);
});
