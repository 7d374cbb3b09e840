import { execFile, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Disposal } from '../../src/process/shutdown.js';
import { inSession } from '../support/bulk-session.js';
import { type Case, kindOf } from '../support/http-cases.js';
import type { Target } from '../support/http-load.js';
import type { ScratchDatabase } from '../support/scratch.js';
import { type Traffic, writeTraffic } from '../support/traffic.js';

const BOARD = 'bench';
const START_MS = 300_000;
const DAY = 86_400;

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

interface Owner {
  id: string;
  name: string;
  token: string;
  value: number;
}

/** Scores like those of `bulk-sql.ts`: a sum of three dice, so that neighbours are a few points apart. */
const FILL = [
  `insert into leaderboard (id, authoritative, sort_order, operator, metadata) values ('${BOARD}', false, 1, 0, '{}')`,
  `insert into leaderboard_record (leaderboard_id, owner_id, username, score, metadata)
   select '${BOARD}', md5('player ' || i)::uuid, 'Player ' || i, round(10000 * exp(random() + random() + random() - 1.5)), '{"level": 7}'
   from generate_series(1, $1::int) i`,
  'vacuum analyze leaderboard_record',
];

/** One Nakama with a leaderboard (best run, highest first) of its own. */
export class Nakama implements Target {
  #owners: Owner[] = [];

  private constructor(
    readonly port: number,
    readonly pid: number,
  ) {}

  /**
   * @param program the file that `go build` made
   * @param players those who submit and read in turn
   * @throws Error with its output if it does not start
   */
  static async start(
    program: string,
    database: ScratchDatabase,
    { entries, players, dir }: { entries: number; players: number; dir: string },
    disposal: Disposal,
  ): Promise<Nakama> {
    const address = ['--database.address', addressOf(database.connectionString)];
    await promisify(execFile)(program, ['migrate', 'up', ...address], { cwd: dir });
    const owners = await inSession(database, async (client) => {
      for (const text of FILL) await client.query(text, text.includes('$1') ? [entries] : []);
      const { rows } = await client.query<Omit<Owner, 'token'>>(
        `select owner_id as id, username as name, score::float8 as value from leaderboard_record order by random() limit $1`,
        [players],
      );
      return rows;
    });
    const port = await freePorts();
    const key = randomBytes(16).toString('hex');
    const logFile = path.join(dir, 'nakama.log');
    const log = openSync(logFile, 'w', 0o600);
    const flags = {
      name: 'bench',
      'socket.port': port,
      'console.port': port + 1,
      'session.encryption_key': key,
      'session.token_expiry_sec': DAY,
      'logger.level': 'WARN',
      data_dir: dir,
    };
    const given = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn(program, [...given, ...address], { cwd: dir, stdio: ['ignore', log, log] });
    disposal.add(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    });
    const patience = performance.now() + START_MS;
    while (!(await isHealthy(port))) {
      if (child.exitCode !== null || performance.now() > patience) {
        throw new Error(`Nakama did not start: ${readFileSync(logFile, 'utf8')}`);
      }
      await delay(100);
    }
    const nakama = new Nakama(port, child.pid!);
    nakama.#owners = owners.map((owner) => ({ ...owner, token: tokenOf(owner, key) }));
    return nakama;
  }

  /** The requests of a case, as many as a writing one may need. */
  traffic(wish: Case, file: string, wanted: number): Traffic {
    const owners = this.#owners;
    const make = (k: number) =>
      requestOf(kindOf(wish, k), owners[(k + Math.floor(k / owners.length)) % owners.length]!);
    const count = wish.writes ? wanted : owners.length;
    return writeTraffic(
      file,
      !wish.writes,
      Array.from({ length: count }, (_, k) => make(k)),
    );
  }
}

function requestOf(kind: string, owner: Owner): string {
  const records = `/v2/leaderboard/${BOARD}`;
  const read = (path: string) =>
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${owner.token}\r\n\r\n`;
  const submit = (value: number) => {
    const body = JSON.stringify({ score: String(value), metadata: '{"level":7}' });
    return `POST ${records} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${owner.token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  switch (kind) {
    case 'submission, improving':
      owner.value += 1 + Math.floor(owner.value * 0.1 * Math.random());
      return submit(owner.value);
    case 'submission, not improving':
      return submit(Math.max(0, owner.value - 1 - Math.floor(Math.random() * 1_000)));
    case 'own rank':
      return read(`${records}/owner/${owner.id}?limit=1`);
    case 'around me, 11':
      return read(`${records}/owner/${owner.id}?limit=11`);
    default:
      // Nakama has no page from a rank on: the first 50 stand for it, in favour of Nakama.
      return read(`${records}?limit=50`);
  }
}

function tokenOf({ id, name }: Omit<Owner, 'token'>, key: string): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { tid: id, uid: id, usn: name, exp: now + DAY, iat: now };
  const signed = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/** A connection string without its scheme, as Nakama takes it. */
function addressOf(connectionString: string): string {
  return connectionString.replace(/^postgres(ql)?:\/\//, '');
}

async function isHealthy(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthcheck`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Nakama listens on four ports in a row. @returns the third, for HTTP; the fourth is its console's, the others are for gRPC */
async function freePorts(): Promise<number> {
  // Below those that systems give to outgoing connections.
  const first = 20_000 + Math.floor(Math.random() * 10_000);
  const free = await Promise.all([0, 1, 2, 3].map((n) => isFree(first + n)));
  return free.every(Boolean) ? first + 2 : freePorts();
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  const listens = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return listens;
}
