import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Disposal } from '../../src/process/shutdown.js';
import { buildBoards } from './bulk-board.js';
import { ServerCpu } from './cpu.js';
import { OwnGenerator } from './generator.js';
import { NONCE_SECONDS } from './http-clients.js';
import { LiveCrowd } from './live-crowd.js';
import { LivePlayers } from './live-players.js';
import type { Scratch } from './scratch.js';
import { startService } from './service-process.js';

const TOP = `subscription ($id: ID!) { boardChanged(boardId: $id, first: 20) {
  version entries { totalCount nodes { rank playerName value } } } }`;
const ENTRIES = 10_000;
const SUBMITTERS = 32;
const WARM_SECONDS = 3;

/**
 * A live viewer of the top 20. CPU in microseconds of the process that serves it; submissions go through another
 * one.
 */
export interface UnitViewer {
  /** Messages per second for each viewer. */
  perSecond: number;
  /** Of one message. */
  message: number;
  /** Per viewer and second, while the board does not change. */
  idle: number;
  /** Resident bytes. */
  memory: number;
}

export async function measureViewer(
  scratch: Scratch,
  { viewers, rate, seconds }: { viewers: number; rate: number; seconds: number },
  dir: string,
  disposal: Disposal,
): Promise<UnitViewer> {
  const secrets = { jwtSecret: randomBytes(32).toString('hex'), keySecret: randomBytes(32).toString('hex') };
  const made = await scratch.create();
  const [board] = await buildBoards(made, { boards: 1, entries: ENTRIES, players: 1_000 });
  const env = { LIVE_PER_ADDRESS: '1000000', LOG_LEVEL: 'warn' };
  const settings = {
    ...{ connectionString: made.connectionString, ...secrets },
    ...{ nonceSeconds: NONCE_SECONDS, env },
  };
  const service = await startService(settings, disposal);
  const entrance = await startService(settings, disposal);
  const generator = new OwnGenerator(disposal);
  const players = new LivePlayers(board!, secrets, dir);
  const submit = (time: number) => {
    const traffic = players.submissions(Math.ceil(rate * time * 1.1));
    return generator.run({ port: entrance.port, connections: SUBMITTERS, seconds: time, traffic, rate });
  };
  await submit(WARM_SECONDS);
  const resident = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'latin1'))?.[1]) * 1_024;
  const before = resident();
  const live = await LiveCrowd.open(
    'live',
    1,
    service.port,
    {
      path: '/graphql',
      greetings: Array.from({ length: viewers }, () => ({})),
      subscribe: { query: TOP, variables: { id: board!.id } },
    },
    disposal,
  );
  const memory = (resident() - before) / viewers;
  const watch = async () => {
    const cpu = ServerCpu.of(service.pid)!;
    const used = cpu.used();
    const { messages } = await live.watch(seconds);
    return { messages, cpu: cpu.used() - used };
  };
  const idle = await watch();
  const warming = submit(WARM_SECONDS);
  await live.watch(WARM_SECONDS);
  await warming;
  const submitting = submit(seconds);
  const busy = await watch();
  await submitting;
  await live.close();
  await Promise.all([service.stop(), entrance.stop()]);
  await made.drop();
  return {
    perSecond: busy.messages / viewers / seconds,
    message: busy.cpu / busy.messages,
    idle: idle.cpu / viewers / seconds,
    memory,
  };
}
