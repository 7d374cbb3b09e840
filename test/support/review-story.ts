import { idOf, uuidOf } from '../../src/base/ids.js';
import type { Ratios } from '../../src/scores/upkeep/ratios.js';
import type { TestApp } from './app.js';
import { flag, makePlayer, review, reviewRuns, undo } from './flags.js';
import type { Data } from './http.js';
import { makeBoard, makeGame, type Studio, unique } from './make.js';
import { derivedText, ratioModel } from './ratio.js';
import { boardEntries, type Event, expectedEntries, FlagModel, type Status } from './review-model.js';
import { boardText, expectSound } from './standings.js';

export const PLAYERS = 3;
/** Of each board; the last two are those of the ratio. */
export const KINDS = [
  { keepStrategy: 'BEST' },
  { keepStrategy: 'LAST', sortDirection: 'ASC' },
  { keepStrategy: 'FIRST' },
  { keepStrategy: 'ALL' },
  { boardType: 'COUNTER' },
  { boardType: 'COUNTER' },
];
const RATIO = { swapped: false, zero: 'null', minNumerator: 0, minDenominator: 0, scale: 1 } as const;

/** Positions are taken modulo what is there. */
export type Act =
  | { kind: 'flag'; event: number }
  | { kind: 'review'; flag: number; status: Status }
  | { kind: 'delete' | 'restore'; flag: number }
  | { kind: 'runs'; player: number; decision: Exclude<Status, 'pending'> }
  | { kind: 'undo'; review: number };

/** Positions of a player and a board, and what is submitted. */
export interface Played {
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

const CREATE = 'mutation ($input: CreateScoreEventInput!) { createScoreEvent(input: $input) { kept } }';

/** Submissions and reviews of one game, beside the model that says what they must come to. */
export class ReviewStory {
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
