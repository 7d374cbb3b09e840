import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clientGround } from '../../test/clients/client-ground.js';
import clusterUp, { removeCluster } from '../../test/support/cluster-up.js';
import { LANGUAGES, type LanguageName } from './languages.js';
import { Runner } from './run.js';
import { scenarios } from './scenario.js';
import { PLAYERS, type SoakRow, soak } from './soak.js';

// npm run prove:clients [-- --soak] [-- <language>]: every scenario with every client whose language is here, or installed
// for it on Debian, and the table of docs/reference/clients.md; with --soak a thousand players of each instead, and theirs.

const ROOT = path.resolve(__dirname, '../..');
const PAGE = path.join(ROOT, 'docs/reference/clients.md');
const GODOT = path.join(ROOT, 'clients/godot');
const { gdtool } = require('./gdtoolkit.cjs') as { gdtool(name: string): string | undefined };

type Result = 'passed' | 'failed' | 'not here' | 'parsed, not run' | 'not handled';
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

/** A row for each client: the result of most scenarios, and the titles of those with another one. No numbers, which would drift. */
function tableOf(columns: Column[]): string {
  const titles = scenarios().map(({ title }) => title);
  const rows = columns.map(([name, results]) => {
    const count = (kind: Result) => results.filter((result) => result === kind).length;
    const [most, ...others] = [...new Set(results)].sort((one, other) => count(other) - count(one));
    const named = others.map((kind) => {
      const those = titles.filter((_title, i) => results[i] === kind);
      return `${kind}: ${those.join('; ')}`;
    });
    return `| ${name} | ${[`all ${most}`, ...named].join(', but ')} |`;
  });
  return `${['| client | scenarios |', '| --- | --- |', ...rows].join('\n')}\n`;
}

/** No runtime here runs Godot 4: its scripts are parsed, and scenarios.json says which scenarios they handle. */
function godotColumn(): Column {
  const folders = ['addons/leaderboard_client', 'sample'].map((folder) => path.join(GODOT, folder));
  const scripts = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.gd'))
      .map((file) => path.join(folder, file)),
  );
  const parse = gdtool('gdparse');
  if (parse) execFileSync(parse, scripts);
  const handled = JSON.parse(readFileSync(path.join(GODOT, 'scenarios.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const results = scenarios().map(({ name }): Result => {
    if (!parse) return 'not here';
    return handled[name] === null ? 'not handled' : 'parsed, not run';
  });
  return ['GDScript', results];
}

/** Replaces the text between the marks of a table. */
function writeTable(mark: string, change: (before: string) => string): void {
  const pattern = new RegExp(`(<!-- ${mark} -->\\n)([\\s\\S]*?)(<!-- end -->)`);
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(pattern, (_all, start, before, end) => `${start}${change(before)}${end}`),
  );
}

/** Prints the rows and puts them into the page; rows of other languages stay. A run that is missing or doubled is a failure. */
function writeSoak(rows: SoakRow[]): void {
  console.log(rows);
  if (rows.some(({ missing, doubled }) => missing + doubled > 0)) process.exitCode = 1;
  if (PLAYERS < 1_000) return;
  const shown = (count: number) => count.toLocaleString('en');
  const lines = rows.map(({ name, runs, missing, doubled, requests, answers, lost, seconds }) => {
    const counts = [runs - missing, missing, doubled, requests].map(shown);
    const share = `${shown(lost)} of ${shown(answers)} (${((100 * lost) / answers).toFixed(1)} %)`;
    return `| ${[name, ...counts, share, seconds].join(' | ')} |`;
  });
  const isNew = (line: string) => rows.some(({ name }) => line.startsWith(`| ${name} |`));
  writeTable('soak', (before) => {
    const others = before.split('\n').filter((line) => line !== '' && !isNew(line));
    return `${[...others, ...lines].join('\n')}\n`;
  });
}

async function prove(): Promise<void> {
  execFileSync('node', [path.join(__dirname, 'install.cjs')], { stdio: 'inherit' });
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const chosen = (Object.keys(LANGUAGES) as LanguageName[]).filter(
    (name) => words.length === 0 || words.includes(name),
  );
  if (process.argv.includes('--soak')) {
    const installed = chosen.filter((name) => LANGUAGES[name].needs.every((file) => existsSync(file)));
    writeSoak(await soak(installed.map((name) => LANGUAGES[name])));
    return;
  }
  await clusterUp();
  try {
    const columns: Column[] = [];
    for (const name of chosen) columns.push(await column(name));
    if (columns.some(([, results]) => results.includes('failed'))) process.exitCode = 1;
    // The lines of the console and the reference, which need the compiler.
    const hasCsharp = LANGUAGES.csharp.needs.every((file) => existsSync(file));
    if (chosen.includes('csharp') && hasCsharp) {
      const lines = ['jest', 'test/clients/ten-lines.test.ts', '-t', 'the lines of C#'];
      execFileSync('npx', lines, { cwd: ROOT, stdio: 'inherit' });
    }
    if (words.length === 0) writeTable('conformance', () => tableOf([...columns, godotColumn()]));
  } finally {
    await removeCluster();
  }
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
