import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

// Files of deploy/ that no test starts as they stand are checked for their form.

const ROOT = path.resolve(__dirname, '../..');
const DEPLOY = path.join(ROOT, 'deploy');
const read = (...place: string[]) => readFileSync(path.join(DEPLOY, ...place), 'utf8');

const yamlFiles = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /[.]ya?ml$/.test(file),
);

test('every YAML file can be read', () => {
  expect(yamlFiles.length).toBeGreaterThan(4);
  for (const file of yamlFiles) {
    for (const document of parseAllDocuments(read(file))) {
      expect([file, document.errors, document.warnings]).toEqual([file, [], []]);
      expect([file, document.toJS()]).toEqual([file, expect.objectContaining({})]);
    }
  }
});

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  datasource?: object;
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig?: { defaults: { unit: string } };
  targets?: { refId: string; expr: string; datasource: object }[];
}

const dashboard = JSON.parse(read('grafana', 'leaderboard.json')) as {
  uid: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string }[] };
  panels: Panel[];
};
const source = { type: 'prometheus', uid: '$' + '{datasource}' };

test('the dashboard lets its reader choose the data source and the process', () => {
  expect(dashboard).toMatchObject({ uid: 'leaderboard', schemaVersion: 39 });
  expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
    ['datasource', 'datasource'],
    ['instance', 'query'],
  ]);
});

test('every panel of the dashboard has an explanation, a unit and queries of the chosen source', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');
  expect(panels.length).toBeGreaterThan(20);
  for (const panel of panels) {
    expect(panel).toMatchObject({
      type: expect.stringMatching(/^(stat|timeseries)$/),
      title: expect.stringMatching(/./),
      description: expect.stringMatching(/[.]$/),
      datasource: source,
      fieldConfig: { defaults: { unit: expect.stringMatching(/^(short|reqps|ops|s|bytes|percentunit)$/) } },
    });
    const refs = panel.targets!.map(({ refId }) => refId);
    expect(new Set(refs).size).toBe(refs.length);
    expect(refs.length).toBeGreaterThan(0);
    for (const target of panel.targets!) expect(target.datasource).toEqual(source);
  }
  for (const names of [
    dashboard.panels.map<string | number>(({ id }) => id),
    panels.map(({ title }) => title),
  ]) {
    expect(new Set(names).size).toBe(names.length);
  }
});

test('no panel of the dashboard covers another one or leaves the grid of 24 columns', () => {
  const taken = new Map<string, string>();
  for (const { title, gridPos } of dashboard.panels) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect([title, taken.get(`${x} ${y}`)]).toEqual([title, undefined]);
        taken.set(`${x} ${y}`, title);
      }
    }
  }
});

const ALERTS = [
  ['alerts', 'monitoring.md'],
  ['alerts-ha', 'high-availability.md'],
] as const;

test.each(ALERTS)('every alert of %s has a severity, a unit test and its place on %s', (file, page) => {
  const { groups } = parse(read('prometheus', `${file}.yml`)) as {
    groups: { rules: { alert: string; labels: { severity: string } }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  const tests = read('prometheus', `${file}.test.yml`);
  const headings = readFileSync(path.join(ROOT, 'docs/operations', page), 'utf8').match(/^### .*$/gm)!;
  expect(headings.length).toBeGreaterThanOrEqual(8);
  for (const { alert, labels } of rules) {
    expect(labels.severity).toMatch(/^(page|ticket)$/);
    expect(tests).toMatch(new RegExp(`alertname: ${alert}\\n +exp_alerts:\\n`));
    expect(headings.filter((heading) => new RegExp(`\\b${alert}\\b`).test(heading)).length).toBeGreaterThan(
      0,
    );
  }
});

test('the guide to a first server leaves no port but the proxy’s open to other machines', () => {
  const guide = readFileSync(path.join(ROOT, 'docs/operations/first-server.md'), 'utf8');
  expect(guide).toMatch(
    /^echo 'ARGS="--web\.listen-address=127\.0\.0\.1:9090"' > \/etc\/default\/prometheus$/m,
  );
  expect(guide).toContain('`http_addr = 127.0.0.1`');
  expect(read('systemd', 'leaderboard.service')).toContain(' HOST=127.0.0.1 ');
});
