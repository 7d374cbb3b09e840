import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SetupError } from '../../src/base/errors.js';
import { numberOf, numbersOf } from '../support/arguments.js';
import { ServerCpu } from '../support/cpu.js';
import { findGenerator, OwnGenerator } from '../support/generator.js';
import { CASES } from '../support/http-cases.js';
import { Clients, NONCE_SECONDS, PLAYERS } from '../support/http-clients.js';
import { openHttpData } from '../support/http-data.js';
import { HttpLoad, type Target } from '../support/http-load.js';
import { runBench } from '../support/run.js';
import { startService } from '../support/service-process.js';
import { median } from '../support/statistics.js';
import { count, millis, say, sayMarkdown } from '../support/table.js';
import type { Traffic } from '../support/traffic.js';
import { thisVersion } from '../support/version.js';
import { Nakama } from './nakama.js';

const NAMES = [
  'submission, improving',
  'submission, not improving',
  'mixed, 80 % reads',
  'own rank',
  'around me, 11',
  'top 50',
];

interface Slice {
  perSecond: number;
  p99: number;
  /** Microseconds of CPU a request, Postgres included. */
  cpu: number;
}

runBench({
  title:
    'This service beside Nakama, on one Postgres, by turns: requests a second of ours in theirs, and CPU a request of theirs in ours, both with Postgres. Above 1, this service is ahead.',
  duration: 'half an hour, and five minutes to build',
  options: {
    nakama: { fallback: '', doc: 'the program of Nakama (bench/peer/README.md)' },
    entries: { fallback: '300k', doc: 'entries of each board' },
    connections: { fallback: '16,64', doc: 'connections, each with one request at a time' },
    cases: { fallback: '.', doc: 'only those whose name matches this expression' },
    pairs: { fallback: '5', doc: 'pairs of slices for each case' },
    seconds: { fallback: '5', doc: 'length of a slice' },
  },
  async run(scratch, args, disposal) {
    if (args.nakama === '')
      throw new SetupError('--nakama names the program of Nakama (bench/peer/README.md).');
    const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-peer-'));
    chmodSync(dir, 0o711);
    disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
    const entries = numberOf(args.entries);
    const data = await openHttpData(scratch, 1, entries);
    const secrets = {
      jwtSecret: randomBytes(32).toString('hex'),
      keySecret: randomBytes(32).toString('hex'),
    };
    const settings = {
      connectionString: data.made.connectionString,
      ...secrets,
      nonceSeconds: NONCE_SECONDS,
    };
    const service = await startService(settings, disposal);
    const clients = new Clients(data, secrets, dir, thisVersion);
    await clients.findDeepPages(service.port);
    const load = new HttpLoad(clients, findGenerator(new OwnGenerator(disposal)));
    const other = await scratch.create('empty');
    const nakama = await Nakama.start(
      path.resolve(args.nakama),
      other,
      { entries, players: PLAYERS, dir },
      disposal,
    );
    const seconds = Number(args.seconds);

    const slice = async (target: Target, traffic: Traffic, connections: number): Promise<Slice> => {
      const cpu = () => ServerCpu.of(target.pid)!.used() + (scratch.cpu?.used() ?? Number.NaN);
      const before = cpu();
      const { perSecond, requests, errors, p99 } = await load.send(target, traffic, connections, seconds);
      if (errors > requests / 100) throw new Error(`${errors} of ${requests} requests were refused`);
      return { perSecond, p99, cpu: (cpu() - before) / requests };
    };
    const ours = async (name: string, connections: number) => {
      const wish = CASES.find((one) => one.name === name && one.boards === 'hot')!;
      return slice(service, await load.traffic(wish, 'REST', connections, seconds), connections);
    };
    const theirs = (name: string, connections: number) => {
      const wish = CASES.find((one) => one.name === name && one.boards === 'hot')!;
      const traffic = nakama.traffic(
        wish,
        path.join(dir, 'peer-traffic'),
        seconds * load.most(wish, connections),
      );
      return slice(nakama, traffic, connections);
    };

    await load.warm(service);
    await theirs('submission, improving', 64);
    const rows: string[][] = [];
    for (const connections of numbersOf(args.connections)) {
      for (const name of NAMES.filter((one) => new RegExp(args.cases, 'i').test(one))) {
        await ours(name, connections);
        await theirs(name, connections);
        const pairs: { own: Slice; peer: Slice }[] = [];
        for (let k = 0; k < numberOf(args.pairs); k += 1) {
          const first = k % 2 === 0 ? await ours(name, connections) : undefined;
          const peer = await theirs(name, connections);
          pairs.push({ own: first ?? (await ours(name, connections)), peer });
        }
        const middle = (of: (pair: (typeof pairs)[number]) => number) => median(pairs.map(of));
        const both = (of: (one: Slice) => number, text: (value: number) => string) =>
          `${text(middle(({ own }) => of(own)))} : ${text(middle(({ peer }) => of(peer)))}`;
        const row = [
          name,
          String(connections),
          both(({ perSecond }) => perSecond, count),
          middle(({ own, peer }) => own.perSecond / peer.perSecond).toFixed(2),
          both(({ cpu }) => cpu, count),
          middle(({ own, peer }) => peer.cpu / own.cpu).toFixed(2),
          both(({ p99 }) => p99, millis),
        ];
        rows.push(row);
        say(row.join('  '));
      }
    }
    say('');
    sayMarkdown(
      [
        'case',
        'connections',
        'per s, ours : theirs',
        'ratio',
        'CPU µs, ours : theirs',
        'theirs ÷ ours',
        'p99',
      ],
      rows,
    );
  },
});
