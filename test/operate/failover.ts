import assert from 'node:assert/strict';
import path from 'node:path';
import { openDatabase } from '../../src/db/pool.js';
import { Program, startService, superadminOf } from '../support/process.js';
import { until } from '../support/wait.js';
import { Players } from '../writes/players.js';
import { Cluster, found, PRIMARY_URL, type Times } from './cluster.js';
import { FAILURES, type Failure, FURTHER, KILLED } from './failures.js';
import { GROUND } from './ground.js';
import type { ClusterNode } from './node.js';
import { Outage } from './outage.js';

const SECRET = 'thirty-two-characters-or-more-it-is';
const SETTINGS = {
  LOG_LEVEL: 'warn',
  DATABASE_URL: PRIMARY_URL,
  JWT_SECRET: SECRET,
  KEY_SECRET: SECRET,
  SUPERADMIN_API_KEY: 'a-key-that-was-chosen-before-the-start',
};

/** For a test that has a minute; Patroni takes no shorter `ttl`. */
const SHORT: Times = { ttl: 20, loop_wait: 1, retry_timeout: 3 };
/** Beyond Patroni's own times: HAProxy's checks, the election, the promotion, and the callers' next attempt. */
const MORE_SECONDS = 5;

const FAILOVERS = 10;

/** The primary of a cluster fails under load, in one way after the other. */
export async function failsOver(thorough: boolean, ...only: string[]): Promise<void> {
  const cluster = new Cluster(thorough ? undefined : SHORT);
  const began = performance.now();
  const since = () => `${((performance.now() - began) / 1_000).toFixed(0)} s`;
  await cluster.start();
  const data = { DATA_DIR: path.join(GROUND, 'service'), WORKERS: thorough ? '2' : '1' };
  const [{ program, url }] = await Promise.all([startService({ ...SETTINGS, ...data }), cluster.healthy()]);
  console.log(`the service, a primary, a synchronous standby and another standby run (${since()})`);
  console.log(`${await cluster.checkAlerts()} figures of the alerts are reported`);
  const players = new Players({ connectionString: PRIMARY_URL });
  players.url = url;
  players.admin = superadminOf(url);
  await players.join();
  const enough = thorough ? 1_000 : 100;
  const failovers = Array.from({ length: FAILOVERS }, (_, i) => FAILURES[i % FAILURES.length]!);
  const all = thorough ? [...failovers, ...FURTHER] : [KILLED];
  const events = all.filter(({ kind }) => only.length === 0 || only.includes(kind));
  for (const [n, event] of events.entries()) {
    const line = await outlive(event, { cluster, players, url, enough }).catch(async (error: unknown) => {
      console.log(JSON.stringify(await cluster.members()));
      console.log(
        program.running ? 'the service runs' : 'the service has ended',
        program.stderr.slice(-3_000),
      );
      console.log(program.stdout.slice(-3_000));
      const refusals = players.clients.flatMap((client) => client.refusals.slice(-2));
      console.log(JSON.stringify(refusals));
      console.log(await cluster.picture());
      const metrics = await fetch(`${url}/metrics`).then((answer) => answer.text(), String);
      console.log(metrics.match(/^(database_|requests_|submission_queue).*$/gm)?.join('\n'));
      throw error;
    });
    console.log(`${n + 1}. ${line} (${since()})`);
  }
  if (thorough) {
    const verified = new Program('src/operator/verify-ranks.ts', { ...SETTINGS, ...data });
    assert.equal((await verified.ended).code, 0, verified.stdout + verified.stderr);
    console.log(verified.stdout.trim());
  }
  await players.leave();
  assert.equal((await program.kill('SIGTERM')).code, 0, program.stderr);
  assert.equal(program.stderr, '', 'the service writes its log alone');
  const log = program.stdout
    .slice(program.stdout.indexOf('\n{') + 1)
    .trim()
    .split('\n');
  for (const line of log) JSON.parse(line);
  console.log(`the service logged ${log.length} lines, JSON all of them (${since()})`);
  await cluster.stop();
}

interface Parts {
  cluster: Cluster;
  players: Players;
  url: string;
  enough: number;
}

/** One event under load, with the checks after it. @returns a line about it */
async function outlive(event: Failure, { cluster, players, url, enough }: Parts): Promise<string> {
  const primary = await found('a primary', () => cluster.primary());
  players.play();
  await players.more(enough);
  const outage = new Outage(
    () => url,
    () => players.acknowledged,
  );
  const node = event.of ? await cluster.standby() : primary;
  await event.happen(node, cluster);
  const goal = players.begun + enough;
  let next: ClusterNode | undefined = primary;
  let returns = event.keeps === 'always';
  const goesOn = async () => {
    const lookedAt = performance.now();
    next = await cluster.primary();
    if (next === undefined) outage.hadNoPrimary(lookedAt);
    // Started in place, it may have been away between two looks only.
    returns ||= event.keeps === 'perhaps' && (next === undefined || players.acknowledged >= goal);
    return next !== undefined && (returns || next !== primary);
  };
  await players.until(goesOn, event.keeps ? 'a primary' : 'another primary');
  await players.more(enough);
  event.repair?.(node);
  await players.more(enough);
  await until(() => outage.readyAgain);
  await players.settle();
  await outage.end();
  const { seconds } = outage.gap();
  const { ttl, loop_wait } = cluster.times;
  const limit = ttl + loop_wait + MORE_SECONDS;
  assert.ok(seconds <= limit, `${event.kind}: ${seconds} s without a write`);
  // Where the primary stays, its commits wait; it answers reads, and nothing else takes writes.
  if (event.keeps !== 'always') assert.deepEqual(outage.untrue(limit), [], event.kind);
  // What is lost stays lost. Until every machine has joined again, a thawed primary may still answer reads.
  await cluster.healthy();
  players.database = openDatabase(PRIMARY_URL, { records: 2, scores: 2 });
  const lines = [await players.check(), await players.checkAnswers()];
  await players.database.close();
  const figures = `${seconds.toFixed(1)} s without a write, not ready for ${outage.unready().toFixed(1)} s`;
  const then = next === primary ? 'the same primary' : `${next!.name} is primary`;
  return `${event.kind} (${node.name}): ${figures}, ${then}\n   ${lines.join('\n   ')}`;
}
