import { setTimeout as delay } from 'node:timers/promises';
import { Nonces } from '../../src/players/nonce.js';
import { serveJobs } from './child.js';
import { HttpConnection } from './http-connection.js';
import { improve, type Player } from './player.js';
import { quantile } from './statistics.js';

/** A player with a session's access token. */
export interface Client extends Player {
  token: string;
}

export interface LoadJob {
  port: number;
  kind: 'submit' | 'own rank' | 'top 50';
  /** Of each connection: those who play over it, in turn. */
  clients: Client[][];
  boardId: string;
  gameId: string;
  keySecret: string;
  seconds: number;
  /** Requests a second over all connections, as long as the answers keep up; as fast as they come without it. */
  perSecond?: number;
}

export interface Load {
  /** Answers with a status of 2xx. */
  perSecond: number;
  /** All answers by status. */
  statuses: Record<string, number>;
  /** The first answer that was none of 2xx. */
  refusal: string | undefined;
  /** Milliseconds of those with 2xx. */
  p50: number;
  p95: number;
  p99: number;
  /** CPU microseconds a request that generating the load took. */
  cpu: number;
  requests: number;
}

/** Head and body as a game client sends them. */
function requestOf(job: LoadJob, nonces: Nonces, client: Client): string {
  const { kind, boardId, gameId } = job;
  const common = `host: 127.0.0.1\r\nauthorization: Bearer ${client.token}\r\n`;
  if (kind === 'own rank') return `GET /v1/client/scores/${client.scoreId} HTTP/1.1\r\n${common}\r\n`;
  if (kind === 'top 50')
    return `GET /v1/client/scores?board_id=${boardId}&limit=50 HTTP/1.1\r\n${common}\r\n`;
  const { nonceValue } = nonces.issue(client.deviceId, gameId, Date.now());
  const body = JSON.stringify({
    board_id: boardId,
    player_name: client.name,
    value: improve(client),
    metadata: { level: 7 },
  });
  const length = Buffer.byteLength(body);
  return `POST /v1/client/scores HTTP/1.1\r\n${common}service-client-nonce: ${nonceValue}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

// Players go on improving from one job to the next: the parent's copies stay as they were.
const players = new Map<string, Client>();

function known(client: Client): Client {
  const own = players.get(client.scoreId) ?? client;
  players.set(client.scoreId, own);
  return own;
}

serveJobs(async (job: LoadJob): Promise<Load> => {
  const nonces = new Nonces({ keySecret: job.keySecret, nonceSeconds: 60 });
  const connections = await Promise.all(job.clients.map(() => HttpConnection.open(job.port)));
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  let refusal: string | undefined;
  const cpu = process.cpuUsage();
  const started = performance.now();
  const end = started + job.seconds * 1_000;
  await Promise.all(
    connections.map(async (connection, k) => {
      const clients = job.clients[k]!.map(known);
      for (let i = 0; performance.now() < end; i += 1) {
        if (job.perSecond) {
          const due = started + ((i * connections.length + k) * 1_000) / job.perSecond;
          if (due >= end) break;
          await delay(Math.max(0, due - performance.now()));
        }
        const sent = performance.now();
        const { status, body } = await connection.request(
          requestOf(job, nonces, clients[i % clients.length]!),
        );
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status >= 200 && status < 300) latencies.push(performance.now() - sent);
        else refusal ??= `${status} ${body.toString()}`;
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  for (const connection of connections) connection.close();
  const requests = Object.values(statuses).reduce((sum, n) => sum + n, 0);
  return {
    perSecond: latencies.length / elapsed,
    statuses,
    refusal,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    cpu: (user + system) / requests,
    requests,
  };
});
