import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Driver } from './driver.js';
import { FaultProxy } from './proxy.js';
import type { Language } from './run.js';
import { SoakService } from './soak-service.js';

/** Fewer for a trial: `SOAK_PLAYERS=50 npm run prove:clients -- --soak lua`. */
export const PLAYERS = Number(process.env.SOAK_PLAYERS ?? 1_000);
const RUNS_EACH = 3;
/** Share of all responses that are lost after the service did the work. */
const LOST = 1 / 3;
const RESTARTS = 10;
const TABS = 10;
const PATIENCE_MS = 60 * 60_000;
const ROOT = path.resolve(__dirname, '../..');

/** A row of the table in docs/reference/clients.md. */
export interface SoakRow {
  name: string;
  /** Runs that were submitted, and the log's events: each run must be there once. */
  runs: number;
  missing: number;
  doubled: number;
  requests: number;
  answers: number;
  lost: number;
  seconds: number;
}

/**
 * A thousand players of each language submit runs through proxies that lose a third of all responses, while the service that
 * they share restarts ten times and each game's process is killed once.
 */
export async function soak(languages: Language[]): Promise<SoakRow[]> {
  const service = new SoakService();
  await service.open();
  const crowds: Crowd[] = [];
  try {
    for (const language of languages) crowds.push(await Crowd.open(language, service));
    // Not a moment without a reason to fail: restarts begin with the first run and go on while runs are sent.
    const restarting = restarts(service);
    const rows = await Promise.all(crowds.map((crowd) => crowd.play(restarting)));
    await restarting;
    return rows;
  } finally {
    for (const crowd of crowds) await crowd.close();
    await service.close();
  }
}

async function restarts(service: SoakService): Promise<void> {
  for (let i = 0; i < RESTARTS; i += 1) {
    await delay(1_000);
    await service.restart(i % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
  }
}

/** The players of one language, in one process. */
class Crowd {
  readonly #folder = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-soak-'));
  readonly #started = performance.now();
  readonly #expected: number[] = [];
  #driver: Driver;

  private constructor(
    private readonly language: Language,
    private readonly service: SoakService,
    private readonly proxy: FaultProxy,
    private readonly place: { game: string; board: string },
  ) {
    this.#driver = this.#start();
  }

  static async open(language: Language, service: SoakService): Promise<Crowd> {
    const proxy = await FaultProxy.open(() => service.url);
    return new Crowd(language, service, proxy, await service.makeGame(language.name));
  }

  #start(): Driver {
    return new Driver(this.language.command, ROOT, PATIENCE_MS);
  }

  /** @param restarting ends with the last restart */
  async play(restarting: Promise<void>): Promise<SoakRow> {
    const { proxy } = this;
    await this.#openAll();
    // Nothing has been sent yet: from here on every answer may be lost.
    proxy.lose = LOST;
    for (let run = 0; run < RUNS_EACH; run += 1) await this.#submitAll(run);
    await this.#driver.kill();
    this.#driver = this.#start();
    await this.#openAll();
    await restarting;
    await this.#allAnswered();
    const counted = await this.service.values(this.place.board);
    const { lost, answers, seen } = proxy;
    assert.ok(Math.abs(lost / answers - LOST) < 0.05, `${lost} of ${answers} answers were lost`);
    return {
      name: this.language.name,
      runs: this.#expected.length,
      missing: this.#expected.filter((value) => !counted.includes(value)).length,
      doubled: counted.length - new Set(counted).size,
      requests: seen.length,
      answers,
      lost,
      seconds: Math.round((performance.now() - this.#started) / 1_000),
    };
  }

  async close(): Promise<void> {
    await this.#driver.kill();
    await this.proxy.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #openAll(): Promise<void> {
    const times = { timeout_ms: 10_000, retry_first_ms: 500, retry_most_ms: 15_000 };
    for (let i = 0; i < PLAYERS; i += 1) {
      const names = { client: `${i}`, player_name: `P ${i}`, storage: path.join(this.#folder, `${i}`) };
      const place = { url: this.proxy.url, game_id: this.place.game };
      // A browser has no room for a thousand tabs.
      const tab = `tab ${i % TABS}`;
      await this.#driver.send({ do: 'open', ...names, ...place, ...times, tab }).answer;
    }
  }

  async #submitAll(run: number): Promise<void> {
    for (let i = 0; i < PLAYERS; i += 1) {
      const value = i * RUNS_EACH + run;
      this.#expected.push(value);
      const ask = { do: 'submit', client: `${i}`, board_id: this.place.board, value, deadline_ms: 0 };
      const { result } = await this.#driver.send(ask).answer;
      assert.ok(result?.status === 'queued' || result?.status === 'ranked', JSON.stringify(result));
    }
  }

  /** Waits until no run is in a queue. */
  async #allAnswered(): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    const waiting = new Set(Array.from({ length: PLAYERS }, (_, i) => `${i}`));
    while (waiting.size > 0) {
      for (const client of waiting) {
        const { result } = await this.#driver.send({ do: 'waiting', client }).answer;
        if ((result?.values as number[] | undefined)?.length === 0) waiting.delete(client);
      }
      if (Date.now() > deadline) throw new Error(`Runs of ${waiting.size} players still wait.`);
      await delay(2_000);
    }
  }
}
