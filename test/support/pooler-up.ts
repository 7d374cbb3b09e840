import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { giveTo, serverUser } from '../../src/db/embedded/server-process.js';
import { until } from './wait.js';

const CONFIG = path.resolve(__dirname, '../../deploy/pgbouncer/pgbouncer.ini');

/**
 * TEST_POOLER=1: a PgBouncer with the deployed configuration runs between the tests' databases and the cluster, and
 * the service's reads and records go through it (`npm run prove:operate`).
 * @param server connection string of the cluster, `@DB@` for the database's name
 * @returns the process, and the same connection string through it
 */
export async function poolerUp(
  server: string,
  dataDir: string,
): Promise<{ child: ChildProcess; url: string }> {
  const dir = path.join(dataDir, 'pgbouncer');
  mkdirSync(dir);
  const { searchParams } = new URL(server.replace('@DB@', 'any'));
  const [host, port] = [searchParams.get('host'), new URL(server.replace('@DB@', 'any')).port || '5432'];
  const changes: [RegExp, string][] = [
    // All databases of the run.
    [/^leaderboard = host=\S+ port=\S+ dbname=\S+/m, `* = host=${host} port=${port} user=postgres`],
    [/^listen_addr = .*/m, 'listen_addr ='],
    [/^unix_socket_dir =.*/m, `unix_socket_dir = ${dir}`],
    [/^auth_type = .*/m, 'auth_type = any'],
    [/^stats_users = .*/m, 'server_idle_timeout = 1'],
  ];
  let ini = readFileSync(CONFIG, 'utf8');
  for (const [from, to] of changes) {
    if (!from.test(ini)) throw new Error(`the configuration has no ${from}`);
    ini = ini.replace(from, to);
  }
  const file = path.join(dir, 'pgbouncer.ini');
  writeFileSync(file, ini);
  const user = serverUser([]);
  giveTo(dir, user);
  const child = spawn('pgbouncer', [file], { stdio: 'ignore', ...user });
  const url = `postgres://postgres@localhost/@DB@?host=${encodeURIComponent(dir)}&port=6432`;
  await until(async () => {
    const client = new pg.Client(url.replace('@DB@', 'postgres'));
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
  return { child, url };
}
