// Writes CONTRIBUTING.md's table of what the tests cost, by lane and file: `node tools/test-figures.mjs quick
// full`. Runs these lanes with one worker, so that all CPU time belongs to one file, and makes the table from the
// newest figures of every file in a lane. Needs a quiet machine.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FIGURES = 'node_modules/.cache/test-figures';
const PAGE = 'CONTRIBUTING.md';
/** CPU seconds from which a file gets its own row. */
const ROW_FROM = 60;
const SCRIPTS = { quick: 'test', full: 'test:full' };
const LANES = { quick: '`npm test`', full: '`npm run test:full`', 'postgres-14': 'its part on Postgres 14' };

process.chdir(new URL('..', import.meta.url).pathname);
for (const lane of process.argv.slice(2)) {
  const env = { ...process.env, TEST_FIGURES: FIGURES };
  spawnSync('npm', ['run', SCRIPTS[lane], '--', '-i'], { stdio: 'inherit', env });
}

function rowsOf(lane, title) {
  const kept = `${FIGURES}/${lane}.json`;
  if (!existsSync(kept)) return [];
  const figures = Object.entries(JSON.parse(readFileSync(kept, 'utf8')))
    .map(([name, seconds]) => ({ name, ...seconds }))
    .filter(({ name }) => name === 'start' || existsSync(`test/${name}.test.ts`))
    .toSorted((a, b) => b.cpu - a.cpu);
  const row = (what, of) => {
    const sum = (key) => Math.round(of.reduce((total, each) => total + each[key], 0));
    return `| ${what} | ${sum('cpu')} | ${sum('wall')} |`;
  };
  const env = { ...process.env, LANE: lane };
  const listed = spawnSync('npx', ['jest', '--listTests'], { env, encoding: 'utf8' }).stdout.trim().split('\n').length;
  const of = lane in SCRIPTS ? ` of ${listed}` : '';
  const large = figures.filter(({ cpu }) => cpu >= ROW_FROM);
  const small = figures.slice(large.length);
  return [
    row(`**${title}**, ${figures.length - 1}${of} files`, figures),
    ...large.map((each) => row(each.name, [each])),
    row(`the other ${small.length}, the start one of them`, small),
  ];
}

const rows = Object.entries(LANES).flatMap(([lane, title]) => rowsOf(lane, title));
const table = ['| seconds with one worker | CPU | wall |', '| --- | ---: | ---: |', ...rows].join('\n');
const page = readFileSync(PAGE, 'utf8');
writeFileSync(PAGE, page.replace(/\| seconds with one worker[\s\S]*?\n(?=\n)/, `${table}\n`));
