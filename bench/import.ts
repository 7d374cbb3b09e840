import 'reflect-metadata';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf } from '../src/base/ids.js';
import type { Database } from '../src/db/pool.js';
import type { Disposal } from '../src/process/shutdown.js';
import { verifyBoard } from '../src/scores/upkeep/verify.js';
import { numberOf } from './support/arguments.js';
import { ServerCpu } from './support/cpu.js';
import { MemoryCurve } from './support/memory-curve.js';
import { plainInserts } from './support/plain-inserts.js';
import { runBench } from './support/run.js';
import { type ServiceProcess, startService } from './support/service-process.js';
import { quantile } from './support/statistics.js';
import { count, millis, say, sayTable, sayUpkeep, size } from './support/table.js';

const PROGRAM = path.resolve(__dirname, '../src/terminal/main.js');
const LIVE_PAUSE_MS = 50;
const LOOK_MS = 100;
/** Seconds between the times of two lines. */
const LINE_SECONDS = 10;

runBench({
  title:
    'A file imported into a board by the terminal while that board takes submissions, and exported again; beside `insert … select` of the same rows.',
  duration: 'about 1 minute; with --all about 10',
  options: {
    rows: { fallback: '100k', all: '1m', doc: 'lines of the file' },
    players: { fallback: '100k', all: '1m', doc: 'players of the file' },
  },
  async run(scratch, args, disposal) {
    const [rows, players] = [numberOf(args.rows), numberOf(args.players)];
    const made = await scratch.create();
    const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
    disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
    const file = path.join(dir, 'history.csv');
    await pipeline(Readable.from(linesOf(rows, players)), createWriteStream(file));
    say(
      `${count(rows)} lines of ${count(players)} players, ${(statSync(file).size / 2 ** 20).toFixed(0)} MiB.`,
    );

    const key = `svc_${randomBytes(32).toString('base64url')}`;
    const service = await startService(
      {
        connectionString: made.connectionString,
        jwtSecret: randomBytes(32).toString('hex'),
        keySecret: randomBytes(32).toString('hex'),
        env: { SUPERADMIN_API_KEY: key, LOG_LEVEL: 'warn' },
      },
      disposal,
    );
    const studio = await Studio.make(service, key, dir, disposal);
    const database = made.open();
    const live = studio.play();
    let ended = false;
    const watched = phasesOf(database, uuidOf(studio.boardId), () => ended);
    const parts: [string, () => number][] = [
      ['Postgres', () => scratch.cpu?.used() ?? Number.NaN],
      ['service', () => ServerCpu.of(service.pid)?.used() ?? Number.NaN],
      ['terminal', ServerCpu.ended],
    ];
    const before = parts.map(([, used]) => used());
    const imported = await studio.terminal(['import', studio.boardId, file]);
    const work = parts.map(([name, used], n) => [name, (used() - before[n]!) / 1e6] as const);
    ended = true;
    const phases = await watched;
    const { latencies, failed } = await live();
    const faults = await verifyBoard(database, studio.boardId);
    const exported = await studio.terminal(['export', studio.boardId], path.join(dir, 'standings.csv'));
    const plainBefore = scratch.cpu?.used() ?? Number.NaN;
    const plain = await plainInserts(database, uuidOf(studio.boardId));
    const plainWork = ((scratch.cpu?.used() ?? Number.NaN) - plainBefore) / 1e6;
    const plainSeconds = [...plain.values()].reduce((sum, seconds) => sum + seconds, 0);
    const share = plainSeconds / imported.seconds;

    say(`Imported in ${imported.seconds.toFixed(1)} s, from the command to the new order:`);
    for (const [phase, seconds] of phases) say(`  ${phase.padEnd(29)} ${seconds.toFixed(1)} s`);
    for (const [table, seconds] of plain)
      say(`  insert … select ${table.padEnd(13)} ${seconds.toFixed(1)} s`);
    sayTable(
      ['', 'seconds', 'rows/s', 'MiB of the service', 'MiB of the terminal'],
      [
        [
          'import',
          imported.seconds.toFixed(1),
          count(rows / imported.seconds),
          imported.service,
          imported.client,
        ],
        ['insert … select', plainSeconds.toFixed(1), count(rows / plainSeconds), '', ''],
        [
          'export',
          exported.seconds.toFixed(1),
          count(players / exported.seconds),
          exported.service,
          exported.client,
        ],
      ],
    );
    say(`${share.toFixed(2)} of insert … select; ${faults.length} faults in the ranking.`);
    say(
      `CPU of the import: ${work.map(([name, cpu]) => `${name} ${cpu.toFixed(1)} s`).join(', ')}; of insert … select: ${plainWork.toFixed(1)} s.`,
    );
    say(
      `Submissions to the board meanwhile: ${count(latencies.length)}, ${failed} failed; median ${millis(quantile(latencies, 0.5))}, 99 % ${millis(quantile(latencies, 0.99))}, longest ${millis(Math.max(...latencies))}.`,
    );
    sayUpkeep([
      [
        `${size(rows)} lines of ${size(players)} players imported`,
        `${imported.seconds.toFixed(1)} s, ${share.toFixed(2)} of insert … select`,
        `submissions to the board meanwhile ${millis(quantile(latencies, 0.99))} at 99 %; ${faults.length} faults`,
      ],
      [
        `${size(players)} standings exported`,
        `${exported.seconds.toFixed(1)} s`,
        `service ${exported.service} MiB`,
      ],
    ]);
    await service.stop();
    await made.drop();
  },
});

function* linesOf(rows: number, players: number): Generator<string> {
  yield 'external_key,player_name,value,occurred_at\n';
  const start = Date.parse('2020-01-01T00:00:00Z');
  for (let n = 0; n < rows; n += 1) {
    // Every player in turn, in an order that is not that of their keys.
    const player = (n * 7_919) % players;
    const value = Math.round(10_000 * Math.exp(((n * 2_654_435_761) % 65_536) / 32_768 - 1));
    yield `player-${player},Player ${player},${value},${new Date(start + n * LINE_SECONDS).toISOString()}\n`;
  }
}

interface Run {
  seconds: number;
  service: string;
  client: string;
}

/** A studio with a board, and the terminal with its key. */
class Studio {
  private constructor(
    private readonly service: ServiceProcess,
    private readonly key: string,
    private readonly home: string,
    private readonly disposal: Disposal,
    private readonly gameId: string,
    readonly boardId: string,
  ) {}

  static async make(service: ServiceProcess, key: string, home: string, disposal: Disposal): Promise<Studio> {
    const call = caller(service, { 'service-api-key': key });
    const account = await call('POST', '/v1/accounts', { name: 'Bench' });
    const owner = { account_id: account.id };
    const game = await call('POST', '/v1/games', { ...owner, name: 'Bench', anti_cheat_enabled: false });
    const board = await call('POST', '/v1/boards', {
      ...owner,
      game_id: game.id,
      name: 'Bench',
      board_type: 'run_identity',
      keep_strategy: 'best',
      sort_direction: 'desc',
    });
    return new Studio(service, key, home, disposal, game.id, board.id);
  }

  get #url(): string {
    return `http://127.0.0.1:${this.service.port}`;
  }

  /** Submits to the board, one score after the other, until the returned function is called. */
  play(): () => Promise<{ latencies: number[]; failed: number }> {
    const latencies: number[] = [];
    let [failed, ended] = [0, false];
    const playing = (async () => {
      const session = await caller(this.service, {})('POST', '/v1/client/sessions', {
        game_id: this.gameId,
        client_fingerprint: 'bench',
      });
      const call = caller(this.service, { authorization: `Bearer ${session.access_token}` });
      for (let value = 1; !ended; value += 1) {
        try {
          const nonce = await call('GET', '/v1/client/nonce');
          const started = performance.now();
          await caller(this.service, {
            authorization: `Bearer ${session.access_token}`,
            'service-client-nonce': nonce.nonce_value,
          })('POST', '/v1/client/scores', { board_id: this.boardId, player_name: 'Live', value });
          latencies.push(performance.now() - started);
        } catch (error) {
          failed += 1;
          if (failed === 1) say(`A submission failed: ${(error as Error).message}`);
        }
        await delay(LIVE_PAUSE_MS);
      }
    })();
    return async () => {
      ended = true;
      await playing;
      return { latencies, failed };
    };
  }

  /** Runs a command of the terminal. @param output file for its standard output */
  async terminal(args: string[], output?: string): Promise<Run> {
    const memory = new MemoryCurve(this.service.pid);
    const started = performance.now();
    const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', output ? openSync(output, 'w') : 'ignore', 'inherit'],
      env: {
        PATH: process.env.PATH,
        HOME: this.home,
        LEADERBOARD_API: this.#url,
        LEADERBOARD_API_KEY: this.key,
      },
    });
    this.disposal.add(async () => {
      child.kill();
    });
    const own = new MemoryCurve(child.pid!);
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`leaderboard ${args[0]} ended with ${code}`);
    const seconds = (performance.now() - started) / 1_000;
    return { seconds, service: memory.end().curve, client: own.end().curve };
  }
}

/** Seconds of an import's phases. */
async function phasesOf(
  { knex }: Database,
  board: string,
  ended: () => boolean,
): Promise<Map<string, number>> {
  const seconds = new Map<string, number>();
  let since = performance.now();
  let phase = 'open';
  while (!ended()) {
    await delay(LOOK_MS);
    const [row] = await knex('score_imports as i')
      .join('board_rankings as r', 'r.board_id', 'i.board_id')
      .where('i.board_id', board)
      .select('i.status', knex.raw(`r.build ->> 'phase' as phase`));
    const now = performance.now();
    seconds.set(phase, (seconds.get(phase) ?? 0) + (now - since) / 1_000);
    since = now;
    if (row) phase = [row.status, ...(row.status === 'ranking' ? [row.phase ?? 'begin'] : [])].join(' ');
  }
  return seconds;
}

/** Members of the answers that are read. */
interface Answer {
  id: string;
  access_token: string;
  nonce_value: string;
}

type Call = (method: string, route: string, body?: object) => Promise<Answer>;

function caller({ port }: ServiceProcess, headers: Record<string, string>): Call {
  return async (method, route, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${route}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
}
