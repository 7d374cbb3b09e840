import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/embedded.js';
import { DataDir, startService } from '../support/process.js';
import { SCRATCH } from '../support/scratch.js';
import { until } from '../support/wait.js';
import { GatewayGround, type Settled } from './gateway-ground.js';

// npm run prove:cells -- gateway: a gateway of two cells as a process, three Postgres servers. Each cell is stopped with
// `immediate` under load, then the directory; then the CPU of a request is compared with a service without cells.

const AWAY_MS = 5_000;
const TURNS = 5;
const REQUESTS = 1_500;
const AT_ONCE = 16;

interface Played {
  statuses: Record<number, number>;
  slowest: number;
}

/** Plays on one cell until `stop` is called. */
function keepPlaying(ground: GatewayGround, settled: Settled): { stop(): Promise<Played> } {
  let going = true;
  const played: Played = { statuses: {}, slowest: 0 };
  const playing = (async () => {
    while (going) {
      const begun = performance.now();
      const status = await ground.play(settled);
      played.slowest = Math.max(played.slowest, Math.round(performance.now() - begun));
      played.statuses[status] = (played.statuses[status] ?? 0) + 1;
    }
  })();
  const stop = async () => {
    going = false;
    await playing;
    return played;
  };
  return { stop };
}

/** CPU seconds of a process since its start. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** CPU milliseconds of a request of a player. */
async function costOf(pid: number, { board, player }: Settled): Promise<number> {
  const before = cpuOf(pid);
  let left = REQUESTS;
  const ask = async () => {
    while (left-- > 0) await player.client.get(`/v1/client/scores?board_id=${board.id}`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return ((cpuOf(pid) - before) * 1_000) / REQUESTS;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function proveOutages(
  ground: GatewayGround,
  servers: Record<string, EmbeddedPostgres>,
): Promise<string[]> {
  const faults: string[] = [];
  const settled = { first: await ground.settle('first'), second: await ground.settle('second') };
  for (const [away, other] of [
    ['first', 'second'],
    ['second', 'first'],
    ['directory', undefined],
  ] as const) {
    const load = other
      ? [keepPlaying(ground, settled[other])]
      : Object.values(settled).map((one) => keepPlaying(ground, one));
    const missing = other ? keepPlaying(ground, settled[away]) : undefined;
    const proxy = away === 'directory' ? ground.directory : ground.cells[away]!;
    await delay(1_000);
    await proxy.refuse();
    // The signal of `pg_ctl stop --mode immediate`. The server comes back after its recovery.
    process.kill(servers[away]!.pid, 'SIGQUIT');
    if (missing) await until(async () => (await ground.ready())[2][away] === 'unavailable');
    const created = () =>
      settled.first.studio.admin.post('/v1/games', {
        account_id: settled.first.studio.accountId,
        name: 'New',
      });
    if (!other && (await created()).status !== 503) faults.push('a game was made without the directory');
    await delay(AWAY_MS);
    await proxy.accept();
    const begun = performance.now();
    if (missing) await ground.whole();
    else await until(async () => (await created()).status === 201);
    const back = Math.round(performance.now() - begun);
    await delay(1_000);
    for (const one of load) {
      const { statuses, slowest } = await one.stop();
      console.log(`${away} away, others: ${JSON.stringify(statuses)}, slowest ${slowest} ms`);
      if (Object.keys(statuses).join() !== '201')
        faults.push(`an error beside ${away}: ${JSON.stringify(statuses)}`);
    }
    const own = await missing?.stop();
    console.log(`${away} away, its own: ${JSON.stringify(own ?? {})}; back after ${back} ms`);
    if (own && Object.keys(own.statuses).join() !== '201,503')
      faults.push(`its own: ${JSON.stringify(own.statuses)}`);
  }
  return faults;
}

export async function proveGateway(): Promise<void> {
  const root = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  chmodSync(root, 0o755);
  const names = ['directory', 'first', 'second'] as const;
  const started = await Promise.all(
    names.map((name) => startEmbeddedPostgres(path.join(root, name), { log: () => undefined })),
  );
  const servers = Object.fromEntries(names.map((name, i) => [name, started[i]!]));
  const [directory, first, second] = started.map((server) => server.connectionString()) as [
    string,
    string,
    string,
  ];
  const dirs = [new DataDir(), new DataDir()];
  try {
    const ground = await GatewayGround.before(directory, { first, second });
    await ground.start(dirs[0]!, { LOG_LEVEL: 'fatal', ANTI_CHEAT: 'false' });
    const faults = process.argv[3] === 'cost' ? [] : await proveOutages(ground, servers);
    await proveCost(ground, first, dirs[1]!);
    await ground.close();
    console.log(faults.length === 0 ? 'nothing was wrong' : faults.join('\n'));
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    await Promise.all(started.map((server) => server.stop()));
    for (const dir of dirs) await dir.remove();
    rmSync(root, { recursive: true, force: true });
  }
}

/** By turns with a service on a database of the same server. Both are reached directly. */
async function proveCost(ground: GatewayGround, server: string, dir: DataDir): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  await client.query('create database plain');
  await client.end();
  const key = 'svc_the-key-of-the-superadmin-in-all-cells';
  const secret = 'thirty-two-characters-or-more-it-is';
  const plain = await startService({
    DATA_DIR: dir.path,
    DATABASE_URL: server.replace(/\/[^/?]*(\?|$)/, '/plain$1'),
    JWT_SECRET: secret,
    KEY_SECRET: secret,
    SUPERADMIN_API_KEY: key,
    LOG_LEVEL: 'fatal',
  });
  const alone = Object.assign(Object.create(ground) as GatewayGround, { url: plain.url });
  const [one, other] = [await alone.settle('none'), await ground.settle('first')];
  // Background work of each: a gateway has that of two cells.
  const idle = async (pid: number) => {
    const before = cpuOf(pid);
    await delay(AWAY_MS);
    return (((cpuOf(pid) - before) * 1_000) / AWAY_MS) * 1_000;
  };
  const [plainPid, gatewayPid] = [plain.program.child.pid!, ground.program.child.pid!];
  console.log(
    `idle: ${Math.round(await idle(plainPid))} ms of CPU a second without cells, ${Math.round(await idle(gatewayPid))} ms a gateway of two`,
  );
  const costs = { without: [] as number[], with: [] as number[] };
  await costOf(plain.program.child.pid!, one);
  await costOf(ground.program.child.pid!, other);
  for (let turn = 0; turn < TURNS; turn += 1) {
    costs.without.push(await costOf(plain.program.child.pid!, one));
    costs.with.push(await costOf(ground.program.child.pid!, other));
  }
  console.log(JSON.stringify(costs));
  const [without, through] = [median(costs.without), median(costs.with)];
  console.log(
    `CPU of a read: ${without.toFixed(3)} ms without cells, ${through.toFixed(3)} ms through a gateway: ` +
      `${(through / without).toFixed(2)} ×`,
  );
  await plain.program.kill('SIGTERM');
}
