import 'reflect-metadata';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { numberOf } from './support/arguments.js';
import { Child } from './support/child.js';
import type { Cost, CostJob } from './support/cost-side.js';
import { runBench } from './support/run.js';
import { median } from './support/statistics.js';
import { count, say, sayMarkdown } from './support/table.js';
import { measureBytes } from './support/unit-bytes.js';
import { measureViewer } from './support/unit-live.js';

const ROOT = path.resolve(__dirname, '../..');
const CASES = [
  'session, new device',
  'submission, first-time',
  'submission, improving',
  'submission, not improving',
  'submission, with key',
  'own rank',
  'around me, 11',
  'top 50',
];
const WARM_SECONDS = 2;

runBench({
  title:
    'The figures that a plan for machines needs: bytes at rest of each kind of record, written by the ' +
    'service; CPU of gateway and Postgres for a request; cost of a live viewer.',
  duration: 'about 4 minutes; with --all about 15',
  options: {
    players: { fallback: '10k', all: '100k', doc: 'players who start a session and submit once' },
    further: { fallback: '4', doc: 'further submissions of each, with an idempotency key' },
    entries: { fallback: '100k', all: '1m', doc: 'entries of the board for CPU' },
    connections: { fallback: '64', doc: 'connections, each with one request at a time' },
    seconds: { fallback: '3', doc: 'length of a slice' },
    slices: { fallback: '3', all: '5', doc: 'slices of each case; the median counts' },
    viewers: { fallback: '1k', doc: 'sockets that watch the top 20' },
    rate: { fallback: '100', doc: 'submissions a second to the board they watch' },
  },
  async run(scratch, args, disposal) {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
    disposal.add(async () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
    // When started by root, the server runs as another user, who must be able to enter here.
    chmodSync(dir, 0o711);
    const made = await scratch.create();
    const wanted = { players: numberOf(args.players), further: numberOf(args.further) };
    const bytes = await measureBytes(made, wanted, disposal);
    await made.drop();
    sayMarkdown(
      ['bytes of one', 'rows', 'table', 'indexes', 'both', 'both, later'],
      bytes.map(({ kind, rows, table, indexes, later }) => [
        kind,
        ...[rows, table, indexes, table + indexes, later].map(count),
      ]),
    );
    say('');

    const side: Child<CostJob, Cost | null> = new Child('cost-side', disposal);
    await side.ask({
      open: {
        root: ROOT,
        data: path.join(dir, 'cost'),
        entries: numberOf(args.entries),
        boards: 1,
        workers: 1,
      },
    });
    const costs: string[][] = [];
    for (const name of CASES) {
      const slice = { case: name, api: 'REST' as const, connections: numberOf(args.connections) };
      await side.ask({ slice: { ...slice, seconds: WARM_SECONDS } });
      const measured: Cost[] = [];
      for (let k = 0; k < numberOf(args.slices); k += 1) {
        measured.push((await side.ask({ slice: { ...slice, seconds: Number(args.seconds) } }))!);
      }
      const middle = (of: (cost: Cost) => number) => count(median(measured.map(of)));
      costs.push([
        name,
        middle(({ gateway }) => gateway),
        middle(({ postgres }) => postgres),
        middle(({ wal }) => wal),
        middle(({ perSecond }) => perSecond),
        count(measured.reduce((sum, { errors }) => sum + errors, 0)),
      ]);
    }
    await side.end();
    sayMarkdown(['request', 'gateway µs', 'Postgres µs', 'log B', 'per s', 'errors'], costs);
    say('');

    const { viewers, rate, seconds } = args;
    const viewer = await measureViewer(
      scratch,
      { viewers: numberOf(viewers), rate: numberOf(rate), seconds: 3 * Number(seconds) },
      dir,
      disposal,
    );
    sayMarkdown(
      ['live viewer of the top 20', 'messages a second', 'gateway µs a message', 'µs a second without', 'kB'],
      [
        [
          `${viewers} at ${rate} submissions a second`,
          viewer.perSecond.toFixed(1),
          viewer.message.toFixed(1),
          viewer.idle.toFixed(1),
          (viewer.memory / 1_024).toFixed(1),
        ],
      ],
    );
  },
});
