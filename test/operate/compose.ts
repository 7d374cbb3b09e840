import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { parse } from 'yaml';
import { startService, superadminOf } from '../support/process.js';
import { asPostgres, Daemon, DEPLOY, DIRECT_URL, GROUND, makeStudio, ROOT, startPostgres } from './ground.js';

const SECRET = 'thirty-two-characters-or-more-it-is';
const SUPERADMIN_KEY = 'a-key-that-was-chosen-before-the-start';
const BIN_DIR = '/usr/lib/postgresql/15/bin';
const WRITES = 2;

interface Compose {
  services: {
    caddy: { networks: { edge: { ipv4_address: string } } };
    leaderboard: { environment: { TRUSTED_PROXIES: string } };
  };
}

/** The commands of compose.yaml without Docker: visitors behind Caddy are counted apart, and a dump brings back what was deleted. */
export async function composed(): Promise<void> {
  const { services }: Compose = parse(readFileSync(path.join(ROOT, 'compose.yaml'), 'utf8'), { merge: true });
  const proxy = services.caddy.networks.edge.ipv4_address;
  assert.equal(services.leaderboard.environment.TRUSTED_PROXIES, proxy);
  // Connections to an address of this machine come from the same address: the service sees Caddy as it does in the network.
  execFileSync('ip', ['addr', 'add', `${proxy}/32`, 'dev', 'lo']);
  await startPostgres(BIN_DIR);
  const postgres = await asPostgres('postgres');
  // Compose's user is the superuser.
  await postgres.query('alter role leaderboard createdb');
  await postgres.end();
  const start = () =>
    startService({
      ...{ HOST: proxy, PORT: '3000', DATA_DIR: path.join(GROUND, 'service'), DATABASE_URL: DIRECT_URL },
      ...{ JWT_SECRET: SECRET, KEY_SECRET: SECRET, SUPERADMIN_API_KEY: SUPERADMIN_KEY },
      ...{ TRUSTED_PROXIES: proxy, ANONYMOUS_WRITES_PER_MINUTE: String(WRITES) },
    });
  const service = await start();
  const { game } = await makeStudio(superadminOf(service.url));
  const env = { PATH: process.env.PATH, HOME: GROUND, SITE: 'http://boards.test', UPSTREAM: `${proxy}:3000` };
  const args = ['run', '--config', path.join(DEPLOY, 'compose/Caddyfile'), '--adapter', 'caddyfile'];
  const caddy = await new Daemon('Caddy', 'caddy', args, { env }).listens(80);
  const visit = (from: string) => startSession(game.id, from);
  for (let i = 0; i < 2 * WRITES; i += 1) assert.equal(await visit('127.0.0.7'), 201);
  assert.equal(await visit('127.0.0.7'), 429);
  assert.equal(await visit('127.0.0.8'), 201);
  console.log('two visitors are counted apart');
  await caddy.stop();
  await backUpAndRestore(game.id, { stop: () => service.program.kill('SIGTERM'), start });
}

function startSession(gameId: string, from: string): Promise<number> {
  const body = JSON.stringify({
    game_id: gameId,
    client_fingerprint: `visitor ${Math.random()}`,
    platform: 'test',
  });
  const headers = { host: 'boards.test', 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    request(
      {
        host: '127.0.0.1',
        port: 80,
        localAddress: from,
        path: '/v1/client/sessions',
        method: 'POST',
        headers,
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      },
    )
      .on('error', reject)
      .end(body);
  });
}

interface Running {
  stop(): Promise<unknown>;
  start(): Promise<{ url: string }>;
}

async function backUpAndRestore(gameId: string, { stop, start }: Running): Promise<void> {
  const { hostname, port, username, password, pathname } = new URL(DIRECT_URL);
  const backups = path.join(GROUND, 'backups');
  mkdirSync(backups);
  const env = {
    ...{ PATH: `${BIN_DIR}:${process.env.PATH}`, BACKUP_DIR: backups },
    ...{
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
      PGDATABASE: pathname.slice(1),
    },
  };
  const run = (script: string, ...more: string[]) =>
    execFileSync('sh', [path.join(DEPLOY, 'compose', script), ...more], { env, encoding: 'utf8' });
  run('backup.sh', 'once');
  const [dump, ...others] = readdirSync(backups);
  assert.deepEqual([/^leaderboard-\d{8}T\d{6}Z\.dump$/.test(dump!), others], [true, []]);
  await stop();
  execFileSync('psql', ['--quiet', '--command', "update games set name = 'lost'"], { env });
  run('restore.sh', path.join(backups, dump!));
  const { url } = await start();
  const { body } = await superadminOf(url).get(`/v1/games/${gameId}`);
  assert.notEqual(body.name, 'lost');
  console.log('the dump was restored');
}
