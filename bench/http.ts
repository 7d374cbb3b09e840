import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { numberOf } from './support/arguments.js';
import type { BareJob } from './support/bare-route.js';
import { buildBoards } from './support/bulk-board.js';
import { Child } from './support/child.js';
import { processMicros } from './support/cpu.js';
import type { Load, LoadJob } from './support/load-generator.js';
import { runBench } from './support/run.js';
import type { Scratch } from './support/scratch.js';
import { startService } from './support/service-process.js';
import { signedIn } from './support/signed-in.js';
import { median } from './support/statistics.js';
import { count, micros, millis, say, sayTable, times } from './support/table.js';

/** One row of the result: what is asked, of which process. */
interface Route {
  name: string;
  kind: LoadJob['kind'];
  port: number;
  pid: number;
}

interface Slice extends Load {
  /** To the reference of the same round. */
  ratio: number;
  /** CPU microseconds a request. */
  serverCpu: number | undefined;
  postgresCpu: number | undefined;
}

const WARM_SECONDS = 2;

runBench({
  title:
    'REST of one service process against a bare Koa route (body parsed, token checked from a cache, one prepared SELECT 1), same client, same connections.',
  duration: 'about 1 minute; with --all about 3',
  options: {
    entries: { fallback: '10k', all: '1m', doc: 'entries of the board' },
    connections: { fallback: '64', doc: 'connections, each asking again as soon as it is answered' },
    players: { fallback: '1', doc: 'devices that share a connection, in turn' },
    seconds: { fallback: '3', all: '10', doc: 'length of a slice' },
    rounds: { fallback: '3', doc: 'slices of each route' },
  },
  async run(scratch, args, disposal) {
    const connections = numberOf(args.connections);
    const players = numberOf(args.players);
    const [seconds, rounds] = [Number(args.seconds), numberOf(args.rounds)];
    const jwtSecret = randomBytes(32).toString('hex');
    const keySecret = randomBytes(32).toString('hex');

    const made = await scratch.create();
    const wanted = { boards: 1, entries: numberOf(args.entries), players: connections * players };
    const [board] = await buildBoards(made, wanted);
    const { connectionString } = made;
    const service = await startService({ connectionString, jwtSecret, keySecret }, disposal);
    const bare = new Child<BareJob, number>('bare-route', disposal);
    const barePort = await bare.ask({ connectionString, jwtSecret });
    const generator = new Child<LoadJob, Load>('load-generator', disposal);

    const clients = await signedIn(board!, jwtSecret, connections);
    const load = ({ kind, port }: Route, time: number) =>
      generator.ask({
        port,
        kind,
        clients,
        boardId: board!.id,
        gameId: board!.gameId,
        keySecret,
        seconds: time,
      });
    const routes: Route[] = [
      { name: 'bare Koa route', kind: 'submit', port: barePort, pid: bare.pid },
      { name: 'submission', kind: 'submit', ...service },
      { name: 'own rank', kind: 'own rank', ...service },
      { name: 'top 50', kind: 'top 50', ...service },
    ];
    for (const route of routes) await load(route, WARM_SECONDS);
    const slices = routes.map((): Slice[] => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [i, route] of routes.entries()) {
        slices[i]!.push(await measure(route, () => load(route, seconds), scratch, slices[0]![round]));
      }
    }
    say(`${connections} connections, ${players} device(s) each; medians of ${rounds} slices of ${seconds} s`);
    sayFigures(routes, slices);
  },
});

async function measure(
  { pid }: Route,
  load: () => Promise<Load>,
  { cpu }: Scratch,
  reference: Load | undefined,
): Promise<Slice> {
  const before = { server: processMicros(pid), postgres: cpu?.used() };
  const result = await load();
  const per = (now: number | undefined, then: number | undefined) =>
    now === undefined || then === undefined ? undefined : (now - then) / result.requests;
  return {
    ...result,
    ratio: reference ? result.perSecond / reference.perSecond : 1,
    serverCpu: per(processMicros(pid), before.server),
    postgresCpu: per(cpu?.used(), before.postgres),
  };
}

function sayFigures(routes: Route[], slices: Slice[][]): void {
  const rows = routes.map(({ name }, i) => {
    const of = slices[i]!;
    const middle = (figure: (slice: Slice) => number | undefined) =>
      median(of.flatMap((slice) => figure(slice) ?? []));
    const others = of.flatMap(({ statuses }) =>
      Object.entries(statuses).filter(([status]) => !status.startsWith('2')),
    );
    return [
      name,
      count(middle(({ perSecond }) => perSecond)),
      times(middle(({ ratio }) => ratio)),
      millis(middle(({ p50 }) => p50)),
      millis(middle(({ p95 }) => p95)),
      millis(middle(({ p99 }) => p99)),
      micros(middle(({ serverCpu }) => serverCpu)),
      micros(middle(({ postgresCpu }) => postgresCpu)),
      micros(middle(({ cpu }) => cpu)),
      count(others.reduce((sum, [, n]) => sum + n, 0)),
    ];
  });
  const cpu = ['CPU', 'of Postgres', 'of the client'];
  sayTable(['', 'per s', 'ratio', 'p50', 'p95', 'p99', ...cpu, 'not 2xx'], rows);
  const refusal = slices.flat().find((slice) => slice.refusal)?.refusal;
  if (refusal) say(`The first that was not 2xx: ${refusal}`);
}
