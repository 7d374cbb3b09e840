import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Caller, Data } from '../support/http.js';
import { LoadClient } from '../support/load.js';
import { startService, superadminOf } from '../support/process.js';
import { patience, patienceMs, until } from '../support/wait.js';
import { cover, Daemon, DEPLOY, GROUND, makeStudio, type Studio } from './ground.js';

const PROMETHEUS = 'http://127.0.0.1:9090';
const FOLDER = '/etc/prometheus';
/** A figure over time needs two scrapes, and the load that it shows. */
const figuresMs = () => 2 * patienceMs();

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

/** Prometheus with its deployed configuration, which scrapes more often here: a test has seconds, not hours. */
function startPrometheus(): Promise<Daemon> {
  const read = (file: string) => readFileSync(path.join(DEPLOY, 'prometheus', file), 'utf8');
  const often = read('prometheus.yml').replace(/(_interval): 15s/g, '$1: 1s');
  assert.match(often, /scrape_interval: 1s/);
  cover(FOLDER, {
    'prometheus.yml': { text: often },
    'alerts.yml': { text: read('alerts.yml') },
    'alerts.test.yml': { text: read('alerts.test.yml') },
    'alerts-ha.yml': { text: read('alerts-ha.yml') },
    'alerts-ha.test.yml': { text: read('alerts-ha.test.yml') },
  });
  for (const args of [
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'alerts.test.yml', 'alerts-ha.test.yml'],
  ]) {
    execFileSync('promtool', args, { cwd: FOLDER, stdio: 'pipe' });
  }
  const data = path.join(GROUND, 'prometheus');
  mkdirSync(data);
  const args = [
    `--config.file=${FOLDER}/prometheus.yml`,
    `--storage.tsdb.path=${data}`,
    '--web.listen-address=127.0.0.1:9090',
  ];
  return new Daemon('Prometheus', 'prometheus', args).listens(9090);
}

/** Within the namespace, the name of the deployed configuration leads to this machine. */
function nameTheService(): void {
  const hosts = path.join(GROUND, 'hosts');
  writeFileSync(hosts, '127.0.0.1 localhost leaderboard\n');
  execFileSync('mount', ['--bind', hosts, '/etc/hosts']);
}

async function ask(place: string, parameters: Record<string, string> = {}): Promise<Data> {
  const response = await fetch(`${PROMETHEUS}/api/v1/${place}?${new URLSearchParams(parameters)}`);
  const { status, data, error } = (await response.json()) as Data;
  assert.equal(status, 'success', `${JSON.stringify(parameters)}: ${error}`);
  return data;
}

/** Numbers of each series; undefined while one of them is none (nothing divided by nothing). */
async function figures(expression: string): Promise<number[] | undefined> {
  const { result } = await ask('query', { query: expression });
  const values = result.map(({ value }: { value: [number, string] }) => Number(value[1]));
  return values.length > 0 && values.every(Number.isFinite) ? values : undefined;
}

export async function watched(thorough: boolean): Promise<void> {
  nameTheService();
  const { program, url } = await startService({
    PORT: '3000',
    METRICS_PORT: '9464',
    WORKERS: '2',
    DATA_DIR: path.join(GROUND, 'data'),
    SUPERADMIN_API_KEY: 'a-key-that-was-chosen-before-the-start',
  });
  const admin = superadminOf(url);
  const [studio] = await Promise.all([makeStudio(admin), startPrometheus()]);
  const load = await startLoad(admin, studio);
  await checkPanels();
  await checkRules();
  await load.stop();
  if (thorough) {
    await program.kill('SIGTERM');
    await checkAlarm();
  }
}

/** Players who submit, a reader who asks wrongly at times, and a watcher of the board. */
async function startLoad(admin: Caller, { game, board }: Studio): Promise<{ stop(): Promise<void> }> {
  const clients = ['Ada', 'Ben', 'Cleo'].map(
    (name) => new LoadClient(() => admin.url, [board.id], true, name),
  );
  await Promise.all(clients.map((client) => client.open(game.id)));
  const leaving = new AbortController();
  const stream = await fetch(`${admin.url}/v1/boards/${board.id}/live`, { signal: leaving.signal });
  assert.equal(stream.status, 200);
  // A watcher who reads.
  const watching = stream.body!.pipeTo(new WritableStream()).catch(() => undefined);
  let reading = true;
  const reader = (async () => {
    while (reading) {
      assert.equal((await admin.get(`/v1/boards/${board.id}`)).status, 200);
      assert.equal((await admin.get('/v1/boards/brd_1')).status, 422);
    }
  })();
  const runs = clients.map((client) => client.run());
  return {
    stop: async () => {
      reading = false;
      for (const client of clients) client.stop();
      leaving.abort();
      await Promise.all([...runs, reader, watching]);
    },
  };
}

/** Every query of every panel has figures, and each name in it is one that the service reports. */
async function checkPanels(): Promise<void> {
  const file = path.join(DEPLOY, 'grafana/leaderboard.json');
  const dashboard = JSON.parse(readFileSync(file, 'utf8')) as { panels: Panel[] };
  const inTime = patience('figures in every panel', figuresMs());
  const shown = new Map<string, number[]>();
  for (const { title, targets = [] } of dashboard.panels) {
    for (const { expr } of targets) {
      const expression = expr.replaceAll('$__rate_interval', '10s').replaceAll('$instance', '.*');
      await until(
        async () => {
          inTime();
          const values = await figures(expression);
          if (values) shown.set(`${title}: ${expr}`, values);
          return values !== undefined;
        },
        200,
        `figures of the panel "${title}": ${expression}`,
      );
    }
  }
  // Names that nothing reports are hidden by "or vector(0)".
  const names = new Set((await ask('label/__name__/values')) as string[]);
  const used = [...shown.keys()].flatMap(
    (key) => key.slice(key.indexOf(':')).match(/\b[a-z]+(_[a-z0-9]+)+\b/g) ?? [],
  );
  const unknown = used.filter(
    (name) => !names.has(name) && !['histogram_quantile', 'exported_job', '__rate_interval'].includes(name),
  );
  assert.deepEqual(unknown, []);
  const of = (title: string) => [...shown].find(([key]) => key.startsWith(`${title}:`))![1];
  assert.deepEqual(of('Processes that answer'), [1]);
  assert.deepEqual(of('Failed requests'), [0]);
  assert.deepEqual(of('Watchers'), [1]);
  assert.ok(of('Requests a second')[0]! > 1);
  assert.ok(of('Scores a second')[0]! > 0);
  assert.ok(of('Refusals by reason')[0]! > 0);
  console.log(`${shown.size} queries of the dashboard have figures under load`);
}

/** Every rule can be evaluated, and none of them fires while the service does well. */
async function checkRules(): Promise<void> {
  const { groups } = await ask('rules');
  const rules = groups.flatMap((group: Data) => group.rules) as { name: string; health: string }[];
  assert.ok(rules.length > 10);
  assert.deepEqual(
    rules.filter(({ health }) => health !== 'ok'),
    [],
  );
  const { alerts } = await ask('alerts');
  assert.deepEqual(
    alerts.filter(({ state }: Data) => state === 'firing'),
    [],
  );
  console.log(`${rules.length} rules are evaluated, and none fires`);
}

/** The end of the service is reported a minute later. */
async function checkAlarm(): Promise<void> {
  const inTime = patience('the alert LeaderboardDown', 4 * patienceMs());
  for (;;) {
    inTime();
    const { alerts } = await ask('alerts');
    const firing = alerts.filter(({ state }: Data) => state === 'firing');
    if (firing.length > 0) {
      assert.deepEqual(
        firing.map(({ labels }: Data) => labels.alertname),
        ['LeaderboardDown'],
      );
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  console.log('LeaderboardDown fires when the service has ended');
}
