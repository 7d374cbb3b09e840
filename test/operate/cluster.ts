import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { patience, until } from '../support/wait.js';
import { Daemon, DEPLOY, GROUND, PASSWORD } from './ground.js';
import { ClusterNode } from './node.js';

/** Where HAProxy leads to the primary. */
export const PRIMARY_URL = `postgres://leaderboard:${PASSWORD}@127.0.0.1:5000/leaderboard`;

/** Patroni's own, in seconds. */
export interface Times {
  ttl: number;
  loop_wait: number;
  retry_timeout: number;
}

const LOOK_MS = 100;
/** A wait for the cluster: a copy of it is made, or a former primary is wound back. */
const HEALTHY_MS = 180_000;

const PICTURES = [
  `select now(), pg_is_in_recovery(), current_setting('synchronous_standby_names') synchronous,
   current_setting('default_transaction_read_only') read_only`,
  'select application_name, state, sync_state, sent_lsn, flush_lsn, reply_time from pg_stat_replication',
  `select pid, application_name, state, wait_event, now() - state_change since, pg_blocking_pids(pid) blocked_by,
   left(query, 60) query from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
];

/** Looks until there is something. */
export async function found<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  let it: T | undefined;
  await until(
    async () => {
      it = await look();
      return it !== undefined;
    },
    LOOK_MS,
    what,
  );
  return it!;
}

interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
  lag?: number | string;
}

/** etcd, three Patroni and HAProxy with the files of deploy/ha, each Postgres on a machine of its own. */
export class Cluster {
  readonly folder = path.join(GROUND, 'ha');
  readonly nodes = [1, 2, 3].map((number) => new ClusterNode(number, this.folder));
  readonly times: Times;
  #etcd!: Daemon;
  #haproxy!: Daemon;

  /** @param times others than the deployed ones */
  constructor(times?: Times) {
    cpSync(path.join(DEPLOY, 'ha'), this.folder, { recursive: true });
    const file = path.join(this.folder, 'patroni.yml');
    let text = readFileSync(file, 'utf8');
    for (const [name, seconds] of Object.entries(times ?? {})) {
      text = text.replace(new RegExp(`^( *${name}:) \\d+$`, 'm'), `$1 ${seconds}`);
    }
    writeFileSync(file, text);
    const timeOf = (name: string) => Number(new RegExp(`^ *${name}: (\\d+)$`, 'm').exec(text)?.[1]);
    this.times = {
      ...{ ttl: timeOf('ttl'), loop_wait: timeOf('loop_wait') },
      retry_timeout: timeOf('retry_timeout'),
    };
  }

  /** Resolves when there is a primary with the service's database; its standbys may still be copies in the making. */
  async start(): Promise<void> {
    // Reached from every machine, whichever cable is cut.
    execFileSync('ip', ['addr', 'add', '10.77.0.1/32', 'dev', 'lo']);
    writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
    const hosts = path.join(GROUND, 'hosts');
    const names = this.nodes.map(({ address, name }) => `${address} ${name}\n`).join('');
    writeFileSync(hosts, `127.0.0.1 localhost\n10.77.0.1 etcd1\n${names}`);
    execFileSync('mount', ['--bind', hosts, '/etc/hosts']);
    this.#etcd = await this.#run('etcd').listens(2379);
    for (const node of this.nodes) await node.plugIn();
    for (const node of this.nodes) node.start();
    this.#haproxy = await this.#run('haproxy').listens(5000);
    await this.#makeDatabase();
  }

  #run(part: string): Daemon {
    const env = { ...process.env, HA_DIR: path.join(this.folder, 'data') };
    return new Daemon(part, path.join(this.folder, 'run.sh'), [part], { env });
  }

  /** Kills etcd, and starts it again when the primary has given up its part. */
  async loseEtcd(): Promise<void> {
    await this.#etcd.stop('SIGKILL');
    await until(async () => (await this.primary()) === undefined, 100, 'the primary to give up');
    this.#etcd = await this.#run('etcd').listens(2379);
  }

  /** As docs/operations/high-availability.md does it. */
  async #makeDatabase(): Promise<void> {
    const secret = this.secrets().PATRONI_SUPERUSER_PASSWORD;
    const inTime = patience('a session through HAProxy', HEALTHY_MS);
    for (;;) {
      inTime();
      const admin = new pg.Client(`postgres://postgres:${secret}@127.0.0.1:5000/postgres`);
      admin.on('error', () => undefined);
      try {
        await admin.connect();
      } catch {
        await delay(LOOK_MS);
        continue;
      }
      await admin.query(`create role leaderboard login password '${PASSWORD}'`);
      await admin.query('create database leaderboard owner leaderboard');
      await admin.end();
      return;
    }
  }

  secrets(): Record<string, string> {
    const text = readFileSync(path.join(this.folder, 'secrets.env'), 'utf8');
    return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
  }

  /** The node that has the lock; undefined: none, or none that answers. */
  async primary(): Promise<ClusterNode | undefined> {
    const answers = await Promise.all(this.nodes.map((node) => node.ask('/primary')));
    return this.nodes.find((_, i) => answers[i]?.status === 200);
  }

  async members(): Promise<Member[]> {
    for (const node of this.nodes) {
      const answer = await node.ask('/cluster');
      if (!answer?.ok) continue;
      // The time of an answer can be over while its body is read.
      const cluster = (await answer.json().catch(() => undefined)) as { members: Member[] } | undefined;
      if (cluster) return cluster.members;
    }
    return [];
  }

  /** The synchronous standby, as soon as a node that answers names one. */
  standby(): Promise<ClusterNode> {
    return found('a synchronous standby', async () => {
      const name = (await this.members()).find(({ role }) => role === 'sync_standby')?.name;
      return this.nodes.find((node) => node.name === name);
    });
  }

  /** Waits until there are a primary, a synchronous standby and another standby, all of one history and without lag. */
  async healthy(): Promise<void> {
    const inTime = patience('a healthy cluster', HEALTHY_MS);
    const isHealthy = async () => {
      const members = await this.members();
      const roles = members.map(({ role }) => role).toSorted();
      const [{ timeline } = {}] = members;
      return (
        roles.join() === 'leader,replica,sync_standby' &&
        members.every(
          (one) =>
            ['running', 'streaming'].includes(one.state) &&
            one.timeline === timeline &&
            [undefined, 0].includes(one.lag as 0),
        )
      );
    };
    for (;;) {
      try {
        inTime();
      } catch (error) {
        const logs = this.nodes.map(({ name, patroni }) => `${name}:\n${patroni.output.slice(-3_000)}`);
        throw new Error(`${error}\n${JSON.stringify(await this.members())}\n${logs.join('\n')}`);
      }
      if (await isHealthy()) return;
      await delay(LOOK_MS);
    }
  }

  async switchOver(from: ClusterNode, to: ClusterNode): Promise<void> {
    const args = ['switchover', '--leader', from.name, '--candidate', to.name, '--force', 'leaderboard'];
    const child = new Daemon('patronictl', '/opt/patroni/bin/patronictl', ['-c', 'patroni.yml', ...args], {
      cwd: this.folder,
      env: { ...process.env, ...this.secrets(), LC_ALL: 'C.UTF-8' },
    });
    await child.ended;
    if (child.child.exitCode !== 0) throw new Error(`patronictl: ${child.output}`);
    await until(async () => (await this.primary()) === to);
  }

  /** Every figure in the deployed alerts is one that a part reports. @returns their number */
  async checkAlerts(): Promise<number> {
    const pages = [
      'http://127.0.0.1:8405',
      'http://etcd1:2379',
      ...this.nodes.map(({ name }) => `http://${name}:8008`),
    ];
    const texts = await Promise.all(pages.map(async (page) => (await fetch(`${page}/metrics`)).text()));
    const reported = new Set(texts.join('\n').match(/^[a-z_]+/gm));
    const rules = readFileSync(path.join(DEPLOY, 'prometheus/alerts-ha.yml'), 'utf8');
    const used = [...new Set(rules.match(/\b(patroni|haproxy|etcd)_[a-z_]+/g))];
    assert.deepEqual(
      used.filter((name) => !reported.has(name)),
      [],
    );
    return used.length;
  }

  /** For a run that stands still: what each server, each Patroni and HAProxy say of themselves. */
  async picture(): Promise<string> {
    const servers = this.nodes.map(async ({ name, address, patroni }) => {
      const url = `postgres://postgres:${this.secrets().PATRONI_SUPERUSER_PASSWORD}@${address}:5432/postgres`;
      const admin = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: 2_000,
        query_timeout: 2_000,
      });
      admin.on('error', () => undefined);
      const said: string[] = [];
      try {
        await admin.connect();
        for (const query of PICTURES)
          said.push(...(await admin.query(query)).rows.map((row) => JSON.stringify(row)));
      } catch (error) {
        said.push(String(error));
      }
      await admin.end().catch(() => undefined);
      return [`${name}:`, ...said, patroni.output.slice(-20_000)].join('\n');
    });
    const metrics = await fetch('http://127.0.0.1:8405/metrics').then((answer) => answer.text(), String);
    const proxy =
      metrics.match(/^haproxy_server_(status|current_sessions|check_\w+|connect\w*)\{.* [^0]\S*$/gm) ?? [];
    return [...(await Promise.all(servers)), ...proxy, this.#haproxy.output.slice(-3_000)].join('\n');
  }

  async stop(): Promise<void> {
    await this.#haproxy.stop();
  }
}
