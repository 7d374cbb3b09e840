import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf } from '../../src/base/ids.js';
import { AccountMover, type MoveParts } from '../../src/cells/move/move.js';
import { allBoards, verifyBoard } from '../../src/rankings/upkeep/verify.js';
import type { TestApp } from './app.js';
import type { TestCell, TestDirectory } from './cells.js';
import type { Data } from './http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from './make.js';
import { ISSUE_NONCE } from './play.js';

/** An account with boards of each kind and its players. */
export interface PlayedAccount {
  studio: Studio;
  account: string;
  boards: Data[];
  players: Player[];
}

/** @param checked false: for a long load, which checks would reject @param within an account that is there */
export async function makePlayed(
  cell: TestApp,
  players: number,
  checked: boolean,
  within?: Studio,
): Promise<PlayedAccount> {
  const studio = within ?? (await makeStudio(cell));
  // A move on a slow machine takes more submissions than a player may make within an hour.
  const antiCheatSettings = { rateLimit: { b: { value: null } } };
  const game = await makeGame(studio, { antiCheatEnabled: checked, antiCheatSettings });
  const boards: Data[] = [];
  for (const rules of [
    { boardType: 'RUN_IDENTITY', keepStrategy: 'BEST' },
    { boardType: 'RUN_RUNS', keepStrategy: 'ALL', holdTop: 3 },
    { boardType: 'COUNTER', keepStrategy: 'ALL' },
  ]) {
    boards.push(await makeBoard(studio, game.id, { ...rules, isPublished: true }));
  }
  const sessions: Player[] = [];
  for (let n = 0; n < players; n += 1) sessions.push(await startSession(cell, game.id));
  return { studio, account: uuidOf(studio.accountId), boards, players: sessions };
}

/** Sends an account's requests to the cell named by the directory, and once more if that cell refuses them. */
export class Route {
  constructor(
    private readonly directory: TestDirectory,
    private readonly cells: Record<string, TestCell>,
    private readonly account: string,
  ) {}

  async cell(): Promise<TestCell> {
    const { knex } = this.directory.directory.database;
    const { cell } = await knex('accounts').where({ id: this.account }).first('cell');
    return this.cells[cell]!;
  }
}

const SUBMIT = `mutation ($input: SubmitScoreInput!) { submitScore(input: $input) { submission { replayed scoreEvent { id } } } }`;

/** Clients that submit until stopped, and resend unacknowledged submissions with the same key. */
export class Load {
  /** Event ids by key. */
  readonly acknowledged = new Map<string, string>();
  /** Responses other than an acknowledgement, by code. */
  readonly refused = new Map<string, number>();
  readonly faults: string[] = [];
  longestMillis = 0;
  #stopped = false;
  #clients: Promise<void>[] = [];

  constructor(
    private readonly route: Route,
    { players, boards }: PlayedAccount,
  ) {
    this.#clients = players.map((player, index) => this.#play(player, boards, index));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #play(player: Player, boards: Data[], index: number): Promise<void> {
    let before: { key: string; send: () => Promise<Data> } | undefined;
    for (let n = 0; !this.#stopped; n += 1) {
      const key = randomUUID();
      const board = boards[(index + n) % boards.length];
      const { issueNonces } = await this.#persist(player, ISSUE_NONCE);
      const input = {
        boardId: board.id,
        value: 1 + ((index * 7 + n * 13) % 1_000),
        playerName: `Player ${index}`,
        idempotencyKey: key,
        nonce: issueNonces.nonces[0].value,
      };
      const send = async () => (await this.#persist(player, SUBMIT, { input })).submitScore.submission;
      const since = Date.now();
      const { scoreEvent } = await send();
      this.longestMillis = Math.max(this.longestMillis, Date.now() - since);
      this.acknowledged.set(key, scoreEvent.id);
      // An event acknowledged earlier, perhaps by the other cell, is acknowledged again but not written again.
      if (before && n % 3 === 0) {
        const again = await before.send();
        if (again.scoreEvent.id !== this.acknowledged.get(before.key))
          this.faults.push(`${before.key} was written twice`);
      }
      before = { key, send };
    }
  }

  /** Sends until it is acknowledged. Every other response must be one that asks to retry. */
  async #persist(player: Player, query: string, variables: Data = {}): Promise<Data> {
    for (;;) {
      const { data, errors } = await callerOn(await this.route.cell(), player).graphql(query, variables);
      if (!errors) return data;
      const { code } = errors[0]!.extensions;
      this.refused.set(code, (this.refused.get(code) ?? 0) + 1);
      if (code !== 'ACCOUNT_MOVED' && code !== 'UNAVAILABLE') {
        this.faults.push(JSON.stringify(errors));
        throw new Error(this.faults.join());
      }
      await delay(10);
    }
  }
}

function callerOn(cell: TestCell, { session }: Player) {
  return cell.anyone.with({ authorization: `Bearer ${session.accessToken}` });
}

/** Everything that is wrong after a move; must be empty. */
export async function wrongAfter(
  load: Load,
  { boards }: PlayedAccount,
  owner: TestCell,
  cells: TestCell[],
): Promise<string[]> {
  const wrong = [...load.faults];
  const ids = boards.map(({ id }) => uuidOf(id));
  const { rows } = await owner.database.pool.query<{ id: string }>(
    'select id from score_events where board_id = any($1::uuid[])',
    [ids],
  );
  const written = new Set(rows.map(({ id }) => id));
  const acknowledged = new Set([...load.acknowledged.values()].map(uuidOf));
  if (acknowledged.size !== load.acknowledged.size) wrong.push('two keys have one event');
  for (const id of acknowledged) if (!written.has(id)) wrong.push(`event ${id} is lost`);
  for (const id of written) {
    if (!acknowledged.has(id)) wrong.push(`event ${id} was written without a key's answer`);
  }
  for (const cell of cells) {
    for await (const board of allBoards(cell.database)) {
      for (const fault of await verifyBoard(cell.database, board)) wrong.push(fault.sentence);
    }
    const { withoutName, withoutRecord } = await cell.disagreement();
    wrong.push(...withoutName, ...withoutRecord);
  }
  return wrong;
}

/** A mover in this process. @param urls connection strings by cell */
export function moverOf(
  { directory }: TestDirectory,
  urls: Record<string, string>,
  parts: Partial<MoveParts> = {},
): AccountMover {
  return new AccountMover({
    directory,
    urlOf: (cell) => urls[cell]!,
    signal: new AbortController().signal,
    report: (line) => {
      if (process.env.TEST_MOVES) console.log(line);
    },
    ...parts,
  });
}
