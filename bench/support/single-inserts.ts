import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import type { Disposal } from '../../src/process/shutdown.js';
import { Child } from './child.js';
import type { InsertJob } from './insert-clients.js';
import type { ScratchDatabase } from './scratch.js';

/** The server's upper bound if every row is a transaction: single-row INSERTs by many clients. */
export interface SingleInserts {
  /** Name of the program, for display. */
  by: string;
  clients: number;
  /** @returns commits per second, without connecting */
  run(seconds: number): Promise<number>;
}

const CLIENTS = 64;

const TABLE = `create table single_inserts (
  id bigint generated always as identity primary key, player uuid not null, value float8 not null, at timestamptz not null)`;

const SCRIPT = `\\set v random(1, 1000000)
insert into single_inserts (player, value, at) values ('01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d', :v, now());
`;

/** Runs pgbench if installed, otherwise a Node process with the same number of connections. */
export async function singleInserts(made: ScratchDatabase, disposal: Disposal): Promise<SingleInserts> {
  const client = new pg.Client({ connectionString: made.connectionString });
  await client.connect();
  await client.query(TABLE);
  await client.end();
  const { stdout, error } = spawnSync('pgbench', ['--version'], { encoding: 'utf8' });
  if (!error) {
    return { by: stdout.trim(), clients: CLIENTS, run: (seconds) => pgbench(client, seconds) };
  }
  const { connectionString } = made;
  const child = new Child<InsertJob, number>('insert-clients', disposal);
  return {
    by: `node-postgres in a process of its own (there is no pgbench on the PATH)`,
    clients: CLIENTS,
    run: (seconds) => child.ask({ connectionString, clients: CLIENTS, seconds }),
  };
}

async function pgbench(
  { host, port, user, password, database }: pg.Client,
  seconds: number,
): Promise<number> {
  const args = ['-n', '-M', 'prepared', '-c', String(CLIENTS), '-j', '2', '-T', String(Math.ceil(seconds))];
  const child = spawn('pgbench', [...args, '-f', '-'], {
    env: {
      PATH: process.env.PATH,
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: user,
      PGPASSWORD: password ?? undefined,
      PGDATABASE: database,
    },
  });
  let output = '';
  let faults = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  child.stderr.on('data', (text) => {
    faults += text;
  });
  child.stdin.end(SCRIPT);
  const [code] = await once(child, 'close');
  const tps = /tps = ([\d.]+) \((?:without initial connection time|excluding)/.exec(output)?.[1];
  if (code !== 0 || !tps) throw new Error(`pgbench failed: ${faults || output}`);
  return Number(tps);
}
