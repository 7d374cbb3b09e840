import { strict as assert } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import { compareWithEvents } from '../../bench/support/answer-check.js';
import { type Connected, inSession } from '../../bench/support/bulk-session.js';
import { type Newest, newestEvents } from '../../bench/support/event-log.js';
import type { KeptAnswer } from '../../bench/support/keep-answers.js';
import { scoresOf } from '../../bench/support/requests.js';
import type { Database } from '../../src/db/pool.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import type { Caller, Data } from '../support/http.js';
import { LoadClient, type Sent } from '../support/load.js';
import { rederiveAll } from '../support/rederive.js';
import { patience } from '../support/wait.js';

/** Half of them send one submission at a time, half up to 25, all with keys, again and again until they are answered. */
const CLIENTS = 16;
const MOST = 25;
const PATIENCE_MS = 120_000;

/** Players who submit to three boards of a service, of which the first ranks best runs. */
export class Players {
  url!: string;
  admin!: Caller;
  database: Database | undefined;
  gameId!: string;
  boards!: string[];
  clients!: LoadClient[];
  #runs: Promise<void>[] = [];
  /** Submissions before the newest check of answers. */
  readonly #compared = new Set<Sent>();
  #newest: Newest = new Map();

  /** @param place the database, as it is now */
  constructor(readonly place: Connected) {}

  /** Makes the boards, and a session for each player. */
  async join(): Promise<void> {
    const accountId = (await this.created('/v1/accounts', { name: 'Proof' })).id;
    const game = { account_id: accountId, name: 'Proof', anti_cheat_enabled: false };
    this.gameId = (await this.created('/v1/games', game)).id;
    const ofGame = { account_id: accountId, game_id: this.gameId };
    this.boards = [];
    for (const rules of [
      { name: 'best', keep_strategy: 'best' },
      { name: 'runs', sort_direction: 'asc', keep_strategy: 'all' },
      { name: 'counter', board_type: 'counter' },
    ]) {
      this.boards.push((await this.created('/v1/boards', { ...ofGame, ...rules })).id);
    }
    this.clients = Array.from({ length: CLIENTS }, (_, i) => {
      return new LoadClient(() => this.url, this.boards, true, `Player ${i}`, i % 2 === 0 ? 1 : MOST);
    });
    await Promise.all(this.clients.map((client) => client.open(this.gameId)));
    await this.#note();
  }

  /** Ends what was begun. */
  async leave(): Promise<void> {
    for (const client of this.clients ?? []) client.abandon();
    await Promise.allSettled(this.#runs);
  }

  async created(path: string, body: Data): Promise<Data> {
    const answer = await this.admin.post(path, body);
    assert.equal(answer.status, 201, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  get acknowledged(): number {
    return this.#sent().filter(({ score }) => score).length;
  }

  /** Submissions that were sent, acknowledged or not. */
  get begun(): number {
    return this.#sent().length;
  }

  play(): void {
    this.#runs = this.clients.map((client) => client.run());
  }

  /** Waits for further acknowledged submissions. */
  async more(count: number): Promise<void> {
    const goal = this.acknowledged + count;
    await this.until(() => this.acknowledged >= goal, `${count} more submissions`);
  }

  async until(fact: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const inTime = patience(what, PATIENCE_MS);
    while (!(await fact())) {
      inTime();
      await delay(10);
    }
  }

  /** Begins no more submissions; resolves when all that were begun are acknowledged. */
  async settle(): Promise<void> {
    for (const client of this.clients) client.stop();
    await Promise.all(this.#runs);
  }

  /**
   * Fails unless every submission is stored once, as it was sent, in the order of its player, with one answer, and every
   * board agrees with its events.
   * @returns a line about it
   */
  async check(): Promise<string> {
    const database = this.database!;
    const { rows } = await database.pool.query<Record<'tag' | 'board', string> & { amount: number }>(
      `select metadata->>'tag' as tag, 'brd_' || board_id as board, amount from score_events
       where metadata ? 'tag' order by board_id, seq`,
    );
    const places = new Map(rows.map(({ tag }, place) => [tag, place]));
    assert.equal(places.size, rows.length, 'a submission is stored twice');
    for (const client of this.clients) {
      assert.deepEqual(client.contradicted, [], 'a retry got another score');
      for (const board of this.boards) {
        const own = client.sent.filter(({ boardId }) => boardId === board);
        const stored = own.map(({ tag }) => places.get(tag) ?? -1);
        assert.ok(!stored.includes(-1), 'an acknowledged submission is lost');
        // One that was answered 503 and sent again comes after those that were accepted meanwhile.
        const first = own.flatMap(({ unanswered }, n) => (unanswered === 0 ? [stored[n]!] : []));
        assert.deepEqual(
          first,
          first.toSorted((a, b) => a - b),
          "a player's submissions are out of order",
        );
        for (const [n, { value }] of own.entries()) {
          const { amount, board: at } = rows[stored[n]!]!;
          assert.deepEqual([at, amount], [board, value]);
        }
      }
    }
    const sent = this.#sent();
    assert.equal(sent.length, rows.length, 'something is stored that was not sent');
    assert.equal(this.acknowledged, sent.length, 'a submission is not acknowledged');
    for (const board of this.boards) {
      assert.deepEqual(await verifyBoard(database, board), []);
      assert.equal(await rederiveAll(database, board, new Date()), 0);
    }
    const retried = sent.filter(({ unanswered }) => unanswered > 0).length;
    return `${sent.length} submissions, ${retried} of them sent again, each stored once; verify-ranks finds nothing`;
  }

  /**
   * Compares the ranks in the answers since the last call with the events, replayed batch by batch.
   * @returns a line about it
   */
  async checkAnswers(): Promise<string> {
    const best = this.boards[0]!;
    const answers = this.clients.flatMap(({ sent }) => sent.filter((one) => one.boardId === best));
    const kept = answers.filter((sent) => !this.#compared.has(sent));
    const found = await compareWithEvents(this.place, this.#newest, kept.map(keptOf), scoresOf.REST);
    assert.equal(found.wrong, 0, `${found.wrong} of ${found.ranks} ranks are wrong`);
    await this.#note();
    return `${found.ranks} concurrent answers replayed against the events: no rank is wrong`;
  }

  async #note(): Promise<void> {
    for (const sent of this.#sent()) this.#compared.add(sent);
    this.#newest = await inSession(this.place, newestEvents);
  }

  #sent(): Sent[] {
    return this.clients.flatMap(({ sent }) => sent);
  }
}

/** As compareWithEvents takes it; the times matter for reads alone. */
function keptOf({ value, score }: Sent): KeptAnswer {
  return { request: JSON.stringify({ value }), body: JSON.stringify(score), sent: 0, answered: 0 };
}
