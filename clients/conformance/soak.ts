import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { uuidOf } from '../../src/base/ids.js';
import { DataDir, type Program, startService } from '../../test/support/process.js';
import { Driver } from './driver.js';
import { FaultProxy } from './proxy.js';
import type { Language } from './run.js';

/** Fewer for a trial: `SOAK_PLAYERS=50 npm run prove:clients -- --soak lua`. */
export const PLAYERS = Number(process.env.SOAK_PLAYERS ?? 1_000);
const RUNS_EACH = 3;
/** Share of all answers that are lost after the service did the work. */
const LOST = 1 / 3;
const RESTARTS = 10;
const TABS = 10;
const PATIENCE_MS = 30 * 60_000;
const ROOT = path.resolve(__dirname, '../..');

type Fields = Record<string, unknown>;

/** A service on its embedded Postgres, which is killed and stopped by turns, and a board that keeps every run. */
class Service {
  readonly dir = new DataDir();
  #program!: Program;
  #database!: pg.Pool;
  url = '';
  game = '';
  board = '';

  async open(): Promise<void> {
    await this.start();
    const admin = this.dir.superadmin(this.url);
    const created = async (place: string, body: Fields) => {
      const answer = await admin.post(place, body);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.id as string;
    };
    const account = await created('/v1/accounts', { name: 'Soak' });
    this.game = await created('/v1/games', { account_id: account, name: 'Soak', anti_cheat_enabled: false });
    const rules = { account_id: account, game_id: this.game, name: 'Runs', keep_strategy: 'all' };
    this.board = await created('/v1/boards', rules);
    this.#database = new pg.Pool({ connectionString: this.dir.connectionString, max: 1 });
    this.#database.on('error', () => undefined);
  }

  async start(): Promise<void> {
    const settings = { DATA_DIR: this.dir.path, LOG_LEVEL: 'fatal' };
    ({ program: this.#program, url: this.url } = await startService(settings));
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.#program.kill(signal);
    await this.start();
  }

  /** Values of the board's events; undefined: the database is away with the service. */
  async values(): Promise<number[] | undefined> {
    try {
      const text = 'select amount from score_events where board_id = $1';
      const { rows } = await this.#database.query<{ amount: number }>(text, [uuidOf(this.board)]);
      return rows.map(({ amount }) => Number(amount));
    } catch {
      await this.#database.end().catch(() => undefined);
      this.#database = new pg.Pool({ connectionString: this.dir.connectionString, max: 1 });
      this.#database.on('error', () => undefined);
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#database.end();
    await this.#program.kill('SIGTERM');
    await this.dir.remove();
  }
}

/** A row of the table in docs/reference/clients.md. */
export interface SoakRow {
  name: string;
  /** Runs that counted once: all of them. */
  runs: number;
  requests: number;
  answers: number;
  lost: number;
  seconds: number;
}

/**
 * A thousand players submit runs through a proxy that loses a third of all answers, while the service restarts ten times
 * and the game's process is killed once. @throws unless every run counts once
 */
export async function soak(language: Language): Promise<SoakRow> {
  const service = new Service();
  await service.open();
  const proxy = await FaultProxy.open(() => service.url);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-soak-'));
  const started = performance.now();
  let driver = new Driver(language.command, ROOT);
  const open = async () => {
    for (let i = 0; i < PLAYERS; i += 1) {
      const times = { timeout_ms: 10_000, retry_first_ms: 500, retry_most_ms: 8_000 };
      const command = {
        do: 'open',
        client: `${i}`,
        url: proxy.url,
        game_id: service.game,
        player_name: `P ${i}`,
        // A browser has no room for a thousand tabs.
        tab: `tab ${i % TABS}`,
      };
      await driver.send({ ...command, ...times, storage: path.join(folder, `${i}`) }).answer;
    }
  };
  try {
    await open();
    // Nothing has been sent yet: from here on every answer may be lost.
    proxy.lose = LOST;
    const expected: number[] = [];
    const submit = async (run: number) => {
      for (let i = 0; i < PLAYERS; i += 1) {
        const value = i * RUNS_EACH + run;
        expected.push(value);
        const ask = { do: 'submit', client: `${i}`, board_id: service.board, value, deadline_ms: 0 };
        const { result } = await driver.send(ask).answer;
        assert.ok(result?.status === 'queued' || result?.status === 'ranked', JSON.stringify(result));
      }
    };
    const restarts = async () => {
      for (let i = 0; i < RESTARTS; i += 1) {
        await delay(1_000);
        await service.restart(i % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      }
    };
    const restarting = restarts();
    for (let run = 0; run < RUNS_EACH; run += 1) await submit(run);
    await driver.kill();
    driver = new Driver(language.command, ROOT);
    await open();
    await restarting;
    await allAnswered(driver);
    const counted = (await service.values()) ?? (await service.values());
    const sorted = (values: number[]) => values.toSorted((a, b) => a - b);
    assert.deepEqual(sorted(counted!), sorted(expected));
    const { lost, answers, seen } = proxy;
    assert.ok(lost > PLAYERS, `${lost} answers were lost`);
    assert.ok(Math.abs(lost / answers - LOST) < 0.03, `${lost} of ${answers} answers were lost`);
    const seconds = Math.round((performance.now() - started) / 1_000);
    return { name: language.name, runs: expected.length, requests: seen.length, answers, lost, seconds };
  } finally {
    await driver.kill();
    await proxy.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until no run is in a queue. */
async function allAnswered(driver: Driver): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  const waiting = new Set(Array.from({ length: PLAYERS }, (_, i) => `${i}`));
  while (waiting.size > 0) {
    for (const client of waiting) {
      const { result } = await driver.send({ do: 'waiting', client }).answer;
      if ((result?.values as number[] | undefined)?.length === 0) waiting.delete(client);
    }
    if (Date.now() > deadline) throw new Error(`Runs of ${waiting.size} players still wait.`);
    await delay(200);
  }
}
