import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../../src/config/table.js';
import type { Data } from '../support/http.js';

/** Settings that compose.yaml and the image set themselves. */
const OF_COMPOSE = new Set([
  ...['DATABASE_URL', 'JWT_SECRET', 'KEY_SECRET', 'SUPERADMIN_API_KEY', 'TRUSTED_PROXIES', 'PUBLIC_UI_URL'],
  ...['PORT', 'HOST', 'DATA_DIR', 'METRICS_PORT'],
]);

/** The env_file of compose.yaml, with every setting at its default. */
function settingsFile(): string {
  const shown = settings.filter(({ name }) => !OF_COMPOSE.has(name));
  const entries = shown.map(({ name, fallback, doc }) => `# ${doc}\n#${name}=${fallback ?? ''}\n`);
  return (
    `# Settings of the service in compose.yaml: copy this file to leaderboard.env, and take away the # of ` +
    `what you change.\n\n${entries.join('\n')}`
  );
}

const ROOT = path.resolve(__dirname, '../..');
const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
const manifests = (name: string): Data[] =>
  parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map((document) => document.toJS());

/** Longest end of a process, in seconds: docs/operations/deploy.md. */
const END_SECONDS = 15;
const USER = 10_001;

const names = new Set<string>([...settings.map(({ name }) => name), 'NODE_ENV', 'TMPDIR', 'HOME']);

test('image, compose file, manifests and unit set no setting that does not exist', () => {
  const image = [...read('Dockerfile').matchAll(/^(?:ENV| {3,}) ?(\w+)=/gm)].map(([, name]) => name);
  const composed = Object.keys(parse(read('compose.yaml'), { merge: true }).services.leaderboard.environment);
  const mapped = Object.keys(manifests('leaderboard')[0].data);
  const unit = [...read('deploy/systemd/leaderboard.service').matchAll(/^Environment=(.*)$/gm)].flatMap(
    ([, line = '']) => line.split(' ').map((pair) => pair.split('=')[0]),
  );
  for (const given of [image, composed, mapped, unit]) expect(given.length).toBeGreaterThan(1);
  const given = [...image, ...composed, ...mapped, ...unit];
  expect(given.filter((name) => !names.has(name!))).toEqual([]);
});

test('processes get longer to end than they need, and run as the same user on a read-only root', () => {
  const { leaderboard, migrate } = parse(read('compose.yaml'), { merge: true }).services;
  expect(Number.parseInt(leaderboard.stop_grace_period, 10)).toBeGreaterThan(END_SECONDS);
  expect([leaderboard.read_only, migrate.read_only]).toEqual([true, true]);
  const [, stop] = /^TimeoutStopSec=(\d+)s$/m.exec(read('deploy/systemd/leaderboard.service')) ?? [];
  expect(Number(stop)).toBeGreaterThan(END_SECONDS);
  expect(read('Dockerfile')).toContain(`USER ${USER}:${USER}`);
  const deployment = manifests('leaderboard').find(({ kind }) => kind === 'Deployment');
  const [job] = manifests('migrate');
  for (const { spec } of [deployment.spec.template, job.spec.template]) {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: USER, runAsGroup: USER });
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
  const { spec } = deployment.spec.template;
  const { lifecycle } = spec.containers[0];
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(lifecycle.preStop.sleep.seconds + END_SECONDS);
});

test('services, budget and probes of the manifests lead to the pods', () => {
  const all = manifests('leaderboard');
  const of = (kind: string) => all.filter((manifest) => manifest.kind === kind);
  const [deployment] = of('Deployment');
  const { labels } = deployment.spec.template.metadata;
  const [container] = deployment.spec.template.spec.containers;
  const ports = container.ports.map(({ name }: Data) => name);
  expect(deployment.spec.selector.matchLabels).toEqual(labels);
  expect(of('PodDisruptionBudget')[0].spec.selector.matchLabels).toEqual(labels);
  expect(of('Service')).toHaveLength(2);
  for (const { spec } of of('Service')) {
    expect(spec.selector).toEqual(labels);
    for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort);
  }
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    expect(ports).toContain(container[probe].httpGet.port);
    expect(['/health/live', '/health/ready']).toContain(container[probe].httpGet.path);
  }
});

test('the env_file of compose.yaml has every setting, and Caddy’s address is the trusted one', () => {
  expect(read('deploy/compose/leaderboard.env.example')).toBe(settingsFile());
  const { services, networks } = parse(read('compose.yaml'), { merge: true });
  expect(services.leaderboard.env_file).toEqual([{ path: 'leaderboard.env', required: false }]);
  const { TRUSTED_PROXIES } = services.leaderboard.environment;
  expect(services.caddy.networks.edge.ipv4_address).toBe(TRUSTED_PROXIES);
  const [{ subnet }] = networks.edge.ipam.config;
  expect(subnet.split('.').slice(0, 3)).toEqual(TRUSTED_PROXIES.split('.').slice(0, 3));
  // Nothing but Caddy is reached from outside.
  const open = Object.entries<Data>(services).filter(([, { ports = [] }]) =>
    ports.some((port: string) => !port.startsWith('127.0.0.1:')),
  );
  expect(open.map(([name]) => name)).toEqual(['caddy']);
  for (const file of ['Caddyfile', 'backup.sh', 'restore.sh'])
    expect(read(`deploy/compose/${file}`).length).toBeGreaterThan(100);
});
