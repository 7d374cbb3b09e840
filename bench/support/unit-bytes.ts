import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { Nonces } from '../../src/players/sessions/nonce.js';
import type { Disposal } from '../../src/process/shutdown.js';
import { inSession } from './bulk-session.js';
import { HttpConnection } from './http-connection.js';
import { rest } from './requests.js';
import { makeBoard } from './rest-caller.js';
import type { ScratchDatabase } from './scratch.js';
import { startService } from './service-process.js';

/** Bytes per row of a kind of record. */
export interface UnitBytes {
  kind: string;
  rows: number;
  /** Of the table and its indexes, after each player has submitted once. */
  table: number;
  indexes: number;
  /** Both together after further submissions and a vacuum. */
  later: number;
}

/** By table. A rank has no row of its own: its share of the counted tree counts for the entry. */
const KINDS: Record<string, readonly string[]> = {
  identity: ['identities'],
  device: ['devices'],
  session: ['device_sessions'],
  state: ['states'],
  entry: ['entries', 'rank_runs', 'rank_tops'],
  event: ['score_events'],
  'idempotency key': ['idempotency_keys'],
  nonce: ['nonce_uses'],
};

/** Few, because bytes do not depend on it, and a busy machine would refuse many with 503. */
const CONNECTIONS = 8;
const NONCE_SECONDS = 3_600;

interface Playing {
  name: string;
  token: string;
  deviceId: string;
  value: number;
}

/** Fills a database only by requests to the service. */
export async function measureBytes(
  made: ScratchDatabase,
  { players, further }: { players: number; further: number },
  disposal: Disposal,
): Promise<UnitBytes[]> {
  const key = `svc_${randomBytes(32).toString('base64url')}`;
  const keySecret = randomBytes(32).toString('hex');
  const service = await startService(
    {
      connectionString: made.connectionString,
      jwtSecret: randomBytes(32).toString('hex'),
      keySecret,
      nonceSeconds: NONCE_SECONDS,
      env: { SUPERADMIN_API_KEY: key, LOG_LEVEL: 'warn' },
    },
    disposal,
  );
  const { gameId, boardId } = await makeBoard(service, key);
  const nonces = new Nonces({ keySecret, nonceSeconds: NONCE_SECONDS });
  const submission = ({ name, token, deviceId, value }: Playing, idempotencyKey?: string) =>
    rest.submission({
      ...{ boardId, name, value, token },
      nonce: nonces.issue(deviceId, gameId, Date.now()).nonceValue,
      ...(idempotencyKey && { key: idempotencyKey }),
    });

  const everyone: Playing[] = [];
  await overConnections(service.port, players, async (send, n) => {
    const started = await send(rest.session(gameId, randomUUID()));
    const player = {
      name: `Player ${n}`,
      token: started.access_token,
      deviceId: started.id,
      value: Math.round(10_000 * Math.exp(Math.random() * 2 - 1)),
    };
    everyone.push(player);
    await send(submission(player));
  });
  const fresh = await sizes(made);
  await overConnections(service.port, players * further, async (send, n) => {
    const player = everyone[n % players]!;
    // Every second run is better than the player's best.
    player.value += Math.floor(n / players) % 2 === 0 ? 100 : -50;
    await send(submission(player, randomUUID()));
  });
  const later = await sizes(made);
  await service.stop();

  return Object.keys(KINDS).map((kind) => {
    // Idempotency keys are sent with the later submissions.
    const { rows, table, indexes } = fresh[kind]!.rows > 0 ? fresh[kind]! : later[kind]!;
    const after = later[kind]!;
    return {
      kind,
      rows: after.rows,
      table: table / rows,
      indexes: indexes / rows,
      later: (after.table + after.indexes) / after.rows,
    };
  });
}

type Send = (request: string) => Promise<{ id: string; access_token: string }>;

/** Runs this many pieces of work, each on one of a few connections. */
async function overConnections(
  port: number,
  wanted: number,
  work: (send: Send, n: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const one = async () => {
    const connection = await HttpConnection.open(port);
    const send: Send = async (request) => {
      const { status, body } = await connection.request(request);
      if (status >= 300) throw new Error(`${status} ${body}\n${request}`);
      return JSON.parse(body.toString());
    };
    try {
      while (next < wanted) await work(send, next++);
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
}

interface Size {
  rows: number;
  table: number;
  indexes: number;
}

function sizes(made: ScratchDatabase): Promise<Record<string, Size>> {
  return inSession(made, async (client) => {
    await client.query('vacuum analyze');
    const measured: Record<string, Size> = {};
    for (const [kind, tables] of Object.entries(KINDS)) {
      const parts: Size[] = [];
      for (const table of tables) parts.push(await sizeOf(client, table));
      const sum = (of: (part: Size) => number) => parts.reduce((total, part) => total + of(part), 0);
      measured[kind] = {
        rows: parts[0]!.rows,
        table: sum(({ table }) => table),
        indexes: sum(({ indexes }) => indexes),
      };
    }
    return measured;
  });
}

async function sizeOf(client: pg.Client, table: string): Promise<Size> {
  const { rows } = await client.query<Record<keyof Size, string>>(
    `select (select count(*) from ${table}) as rows, pg_table_size($1::regclass) as table, pg_indexes_size($1::regclass) as indexes`,
    [table],
  );
  const { rows: counted, table: heap, indexes } = rows[0]!;
  return { rows: Number(counted), table: Number(heap), indexes: Number(indexes) };
}
