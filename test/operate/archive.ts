import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { LoadClient, type Sent } from '../support/load.js';
import { runProgram, startService, superadminOf } from '../support/process.js';
import { until } from '../support/wait.js';
import { cover, DIRECT_URL, GROUND, makeStudio, PASSWORD, ROOT, userOf } from './ground.js';

const GUIDE = path.join(ROOT, 'docs/operations/backup.md');
const CLIENTS = 8;
/** Acknowledged submissions in each part of the story. */
const ENOUGH = 50;
const SECRET = 'thirty-two-characters-or-more-it-is';
const SETTINGS = {
  PORT: '3000',
  DATA_DIR: path.join(GROUND, 'service'),
  DATABASE_URL: DIRECT_URL,
  JWT_SECRET: SECRET,
  KEY_SECRET: SECRET,
  SUPERADMIN_API_KEY: 'a-key-that-was-chosen-before-the-start',
};

/** The three blocks of commands of the guide: archive, base backup, restore. */
function guideCommands(): [string, string, string] {
  const section = /^## Your own Postgres\n(.*?)^## /ms.exec(readFileSync(GUIDE, 'utf8'))?.[1] ?? '';
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text]) => text!);
  assert.equal(blocks.length, 3);
  return blocks as [string, string, string];
}

function shell(commands: string): string {
  return execFileSync('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Debian's cluster `main` in folders of this namespace. */
function makeCluster(): void {
  const user = userOf('postgres');
  for (const dir of ['/etc/postgresql', '/var/lib/postgresql', '/var/log/postgresql', '/var/backups']) {
    mkdirSync(dir, { recursive: true });
    cover(dir);
  }
  mkdirSync('/run/postgresql', { recursive: true });
  cover('/run/postgresql');
  for (const dir of ['/run/postgresql', '/var/log/postgresql', '/var/lib/postgresql'])
    chownSync(dir, user.uid, user.gid);
  shell('pg_createcluster 15 main --port 5432 --start');
  shell(
    `runuser -u postgres -- psql -q -c "create role leaderboard login password '${PASSWORD}'" -c 'create ` +
      `database leaderboard owner leaderboard'`,
  );
}

/** A database is restored to a moment by the commands of the guide, after rows were lost under load. */
export async function withArchive(): Promise<void> {
  const [archive, base, restore] = guideCommands();
  makeCluster();
  shell(archive);
  const { program, url } = await startService(SETTINGS);
  const { board, game } = await makeStudio(superadminOf(url));
  const clients = Array.from(
    { length: CLIENTS },
    (_none, i) => new LoadClient(() => url, [board.id], true, `Player ${i}`),
  );
  for (const client of clients) await client.open(game.id);
  const runs = clients.map((client) => client.run());
  const sent = () => clients.flatMap((client) => client.sent);
  const acknowledged = () => sent().filter(({ score }) => score);
  const more = async () => {
    const before = acknowledged().length;
    await until(() => acknowledged().length >= before + ENOUGH);
  };
  await more();
  shell(base);
  await more();
  const [known, begun] = [acknowledged(), sent().length];
  const moment = new Date();
  const early = new Set(sent().map(({ tag }) => tag));
  assert.equal(early.size, begun);
  await more();
  const late = sent().filter(({ tag }) => !early.has(tag));
  // The accident.
  shell(`runuser -u postgres -- psql -q -d leaderboard -c 'truncate score_events, entries cascade'`);
  for (const client of clients) client.abandon();
  await program.kill('SIGKILL');
  await Promise.all(runs);
  console.log(`${known.length} submissions were acknowledged before ${moment.toISOString()}`);

  const placeholder = /^MOMENT='[^']+'$/m;
  assert.match(restore, placeholder);
  shell(
    restore.replace(placeholder, `MOMENT='${moment.toISOString().replace('T', ' ').replace('Z', '+00')}'`),
  );
  await checkRestored(known, late);
  const verified = await runProgram('src/operator/verify-ranks.ts', SETTINGS);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  console.log(verified.stdout.trim());
  const again = await startService(SETTINGS);
  const answer = await superadminOf(again.url).get(`/v1/boards/${board.id}`);
  assert.equal(answer.status, 200);
  await again.program.kill('SIGTERM');
  assert.ok(existsSync('/var/lib/postgresql/15/main.before'));
}

/** All that was acknowledged before the moment is there, and nothing that was sent after it. */
async function checkRestored(known: Sent[], late: Sent[]): Promise<void> {
  const client = new pg.Client(DIRECT_URL);
  await client.connect();
  const { rows } = await client.query<{ tag: string }>(`select metadata ->> 'tag' as tag from score_events`);
  await client.end();
  const there = new Set(rows.map(({ tag }) => tag));
  assert.deepEqual(
    known.filter(({ tag }) => !there.has(tag)),
    [],
  );
  assert.ok(late.length > 0);
  assert.deepEqual(
    late.filter(({ tag }) => there.has(tag)),
    [],
  );
  console.log(
    `${there.size} events were restored: none of the acknowledged is missing, none of the later is there`,
  );
}
