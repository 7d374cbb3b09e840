import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { closeSync, createWriteStream, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf } from '../src/base/ids.js';
import type { Database } from '../src/db/pool.js';
import { verifyBoard } from '../src/rankings/upkeep/verify.js';
import { numberOf } from './support/arguments.js';
import { ServerCpu } from './support/cpu.js';
import { type Run, Studio } from './support/import-studio.js';
import type { Memory } from './support/memory-curve.js';
import { plainInserts } from './support/plain-inserts.js';
import { runBench } from './support/run.js';
import { startService } from './support/service-process.js';
import { quantile } from './support/statistics.js';
import { count, millis, say, sayMarkdown } from './support/table.js';

const LOOK_MS = 100;
const TRAILER_BYTES = 1_000;
/** Seconds between the times of two lines. */
const LINE_SECONDS = 10;

runBench({
  title:
    'A file imported into a board by the terminal while that board takes submissions, and exported again; ' +
    'beside `insert … select` of the same rows.',
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
    const measured = async (name: string, args: string[], output?: string): Promise<Measured> => {
      const before = parts.map(([, used]) => used());
      const run = await studio.terminal(args, output);
      const cpu = parts.map(([part, used], n) => `${part} ${((used() - before[n]!) / 1e6).toFixed(1)} s`);
      return { name, rows, ...run, cpu: cpu.join(', ') };
    };
    const imported = await measured('import', ['import', studio.boardId, file]);
    ended = true;
    const phases = await watched;
    const { latencies, failed } = await live();
    const faults = await verifyBoard(database, studio.boardId);
    say(`Imported in ${imported.seconds.toFixed(1)} s, from the command to the new order:`);
    for (const [phase, seconds] of phases) say(`  ${phase.padEnd(29)} ${seconds.toFixed(1)} s`);
    say(`  ${faults.length} faults in the ranking.`);
    say(
      `Submissions to the board meanwhile: ${count(latencies.length)}, ${failed} failed; median ` +
        `${millis(quantile(latencies, 0.5))}, 99 % ${millis(quantile(latencies, 0.99))}, longest ${millis(Math.max(...latencies))}.`,
    );
    const exported: Measured[] = [];
    for (const what of ['standings', 'events']) {
      const output = path.join(dir, `${what}.csv`);
      const run = await measured(
        `export of ${what}`,
        ['export', studio.boardId, '--what', what, '--format', 'csv'],
        output,
      );
      exported.push({ ...run, rows: trailerCount(output) });
      rmSync(output);
    }
    const plainBefore = scratch.cpu?.used() ?? Number.NaN;
    const plain = await plainInserts(made.connectionString, uuidOf(studio.boardId));
    const plainWork = ((scratch.cpu?.used() ?? Number.NaN) - plainBefore) / 1e6;
    const plainSeconds = [...plain.values()].reduce((sum, seconds) => sum + seconds, 0);
    const share = plainSeconds / imported.seconds;
    const runs = [imported, ...exported];

    for (const [table, seconds] of plain)
      say(`  insert … select ${table.padEnd(13)} ${seconds.toFixed(1)} s`);
    say(`${share.toFixed(2)} of insert … select.`);
    const figures = (name: string, seconds: number, lines: number) => [
      name,
      count(lines),
      seconds.toFixed(1),
      count(lines / seconds),
    ];
    say('');
    sayMarkdown(
      ['', 'rows', 'seconds', 'rows/s', 'CPU'],
      [
        ...runs.map((run) => [...figures(run.name, run.seconds, run.rows), run.cpu]),
        [...figures('`insert … select`', plainSeconds, rows), `Postgres ${plainWork.toFixed(1)} s`],
      ],
      [0, 4],
    );
    say('');
    sayMarkdown(
      ['MiB at equal distances, and the most', 'service', 'terminal'],
      runs.map(({ name, service, terminal }) => [name, shown(service), shown(terminal)]),
      [0, 1, 2],
    );
    await service.stop();
    await made.drop();
  },
});

interface Measured extends Run {
  name: string;
  rows: number;
  cpu: string;
}

/** The number of lines stated at the end of an export. */
function trailerCount(file: string): number {
  const size = statSync(file).size;
  const end = Buffer.alloc(Math.min(size, TRAILER_BYTES));
  const handle = openSync(file, 'r');
  readSync(handle, end, 0, end.length, size - end.length);
  closeSync(handle);
  return Number(/^# trailer .*count=(\d+)/m.exec(end.toString())?.[1]);
}

const shown = ({ curve, highest }: Memory) => `${curve} · ${highest.toFixed(0)}`;

function* linesOf(rows: number, players: number): Generator<string> {
  yield 'external_key,player_name,value,occurred_at\n';
  const start = Date.parse('2020-01-01T00:00:00Z');
  for (let n = 0; n < rows; n += 1) {
    // Every player in turn, in an order other than that of their keys.
    const player = (n * 7_919) % players;
    const value = Math.round(10_000 * Math.exp(((n * 2_654_435_761) % 65_536) / 32_768 - 1));
    yield `player-${player},Player ${player},${value},${new Date(start + n * LINE_SECONDS).toISOString()}\n`;
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
