import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clientGround } from '../../test/support/client-ground.js';
import clusterUp, { removeCluster } from '../../test/support/cluster-up.js';
import { LANGUAGES, type LanguageName } from './languages.js';
import { Runner } from './run.js';
import { scenarios } from './scenario.js';
import { soak } from './soak.js';

// npm run prove:clients [-- --soak] [-- <language>]: every scenario with every client whose language is here, or installed
// for it on Debian, and the table of docs/reference/clients.md; with --soak a thousand players of each instead.

const ROOT = path.resolve(__dirname, '../..');
const PAGE = path.join(ROOT, 'docs/reference/clients.md');
const TABLE = /(<!-- conformance -->\n)[\s\S]*?(<!-- end -->)/;

type Result = 'passed' | 'failed' | 'not here';
type Column = [name: string, results: Result[]];

async function column(name: LanguageName): Promise<Column> {
  const language = LANGUAGES[name];
  const missing = language.needs.find((file) => !existsSync(file));
  if (missing !== undefined) {
    console.log(`${language.name}: skipped, ${missing} is not installed.`);
    return [language.name, scenarios().map(() => 'not here' as const)];
  }
  const { ground, close } = await clientGround();
  const runner = new Runner(language, ground);
  const results: Result[] = [];
  const started = performance.now();
  try {
    for (const scenario of scenarios()) {
      await runner.run(scenario).then(
        () => results.push('passed'),
        (error: Error) => {
          results.push('failed');
          console.error(error.message);
        },
      );
    }
  } finally {
    await runner.end();
    await close();
  }
  const passed = results.filter((result) => result === 'passed').length;
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  console.log(`${language.name}: ${passed} of ${results.length} scenarios passed in ${seconds} s.`);
  return [language.name, results];
}

function tableOf(columns: Column[]): string {
  const rows = scenarios().map(
    ({ title }, i) => `| ${[title, ...columns.map(([, results]) => results[i])].join(' | ')} |`,
  );
  const head = `| scenario | ${columns.map(([name]) => name).join(' | ')} |`;
  return `${[head, `| --- |${' --- |'.repeat(columns.length)}`, ...rows].join('\n')}\n`;
}

async function prove(): Promise<void> {
  execFileSync('node', [path.join(__dirname, 'install.cjs')], { stdio: 'inherit' });
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const chosen = (Object.keys(LANGUAGES) as LanguageName[]).filter(
    (name) => words.length === 0 || words.includes(name),
  );
  if (process.argv.includes('--soak')) {
    for (const name of chosen) console.log(await soak(LANGUAGES[name]));
    return;
  }
  await clusterUp();
  try {
    const columns: Column[] = [];
    for (const name of chosen) columns.push(await column(name));
    if (columns.some(([, results]) => results.includes('failed'))) process.exitCode = 1;
    if (words.length > 0) return;
    const page = readFileSync(PAGE, 'utf8');
    writeFileSync(
      PAGE,
      page.replace(TABLE, (_all, start, end) => `${start}${tableOf(columns)}${end}`),
    );
  } finally {
    await removeCluster();
  }
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
