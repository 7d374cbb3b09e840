import { stringify } from 'yaml';
import { schemaText } from '../contract/package.js';
import { canAsk } from '../input.js';
import { confirm } from '../output/confirm.js';
import { EXIT, report } from '../output/failure.js';
import { jsonText, printable } from '../output/output.js';
import type { Task } from '../output/task.js';
import { readYamlFile, type YamlFile } from './file.js';
import { readContent, type Values } from './form.js';
import { changeJson, changeLines, doneLine, planLines, secretLines } from './report.js';
import { ConfigurationService, type Plan, type PlannedChange } from './service.js';

function sayNotes(task: Task, notes: string[]): void {
  if (task.options.quiet) return;
  for (const note of notes) process.stderr.write(`note: ${printable(note)}\n`);
}

/** The service's plan of a file. */
interface Planned {
  file: YamlFile;
  content: Values;
  service: ConfigurationService;
  plan: Plan;
}

/** @throws FileError when the file is wrong; nothing is changed then */
async function planned(task: Task, name: string, prune: boolean): Promise<Planned> {
  const file = await readYamlFile(name);
  const content = readContent(file);
  const service = await ConfigurationService.of(task);
  const plan = await service.plan(content, prune);
  sayNotes(task, plan.notes);
  for (const refusal of plan.refusals) file.fault(refusal.path, sentenceOf(refusal));
  file.refuseFaults();
  return { file, content, service, plan };
}

/** What is said of one field continues its name. */
function sentenceOf({ path, code, message }: Plan['refusals'][number]): string {
  const field = path.at(-1) ?? '';
  return code === 'VALIDATION_FAILED' && /^[a-z]/.test(field) ? `${field} ${message}` : message;
}

interface PlanOptions {
  prune?: boolean;
}

/** Prints the plan of a file. Exit code 3: there are changes. */
export async function planFile(task: Task, name: string, { prune = false }: PlanOptions): Promise<void> {
  const { plan } = await planned(task, name, prune);
  const { changes, not_in_file: unnamed } = plan;
  if (task.options.json) {
    const left = prune ? [] : unnamed.map(({ kind, name }) => ({ kind, name }));
    const all = changes.map((change) => changeJson(change));
    task.out.line(jsonText({ changes: all, not_in_file: left }, 2));
  } else {
    for (const line of planLines(plan, prune)) task.out.say(line);
  }
  if (changes.length > 0) process.exitCode = EXIT.changes;
}

async function confirmDeletions(changes: PlannedChange[]): Promise<void> {
  const deletions = changes.filter(({ action }) => action === 'delete');
  if (deletions.length === 0 || !canAsk()) return;
  for (const line of deletions.flatMap(changeLines)) process.stderr.write(`${line}\n`);
  await confirm('Delete these?');
}

/** Has all changes made up to the first refusal, and reports them. */
async function applied(task: Task, { file, content, service, plan }: Planned, prune: boolean): Promise<void> {
  const { json, quiet } = task.options;
  const { changes } = plan;
  const ids: string[] = [];
  let { digest } = plan;
  let failure: unknown;
  while (ids.length < changes.length && failure === undefined) {
    try {
      const made = await service.apply(content, prune, digest);
      for (const id of made.ids) {
        const change = changes[ids.length]!;
        ids.push(id);
        if (quiet) task.out.line(id);
        for (const line of [...changeLines(change), ...secretLines(change, id)]) task.out.say(line);
      }
      digest = made.digest;
    } catch (error) {
      failure = error;
    }
  }
  const [done, left] = [changes.slice(0, ids.length), changes.slice(ids.length)];
  if (json) {
    const made = done.map((change, n) => changeJson(change, ids[n]));
    task.out.line(jsonText({ done: made, not_done: left.map((change) => changeJson(change)) }, 2));
  } else if (changes.length === 0) {
    task.out.say('Nothing to do. The service matches the file.');
  } else {
    task.out.say(doneLine(done));
  }
  if (failure === undefined) return;
  process.exitCode = report(failure, json ?? false);
  if (json) return;
  const { path } = left[0]!;
  const place = path ? ` (${file.place(path)})` : '';
  const [refused, ...rest] = left.map((change) => changeLines(change)[0]);
  const lines = [`Refused: ${refused}${place}`, ...rest.map((line) => `Skipped: ${line}`)];
  process.stderr.write(`${lines.join('\n')}\nFix the problem, then run apply again to continue.\n`);
}

/** Makes a file's changes. */
export async function applyFile(
  task: Task,
  name: string,
  { prune = false, yes = false }: PlanOptions & { yes?: boolean },
): Promise<void> {
  const all = await planned(task, name, prune);
  if (!yes) await confirmDeletions(all.plan.changes);
  await applied(task, all, prune);
}

/** Editors look for the schema next to this file; `leaderboard schema` prints it. */
const FIRST_LINE = '# yaml-language-server: $schema=leaderboards.schema.json';

/** Prints what is stored as a file. */
export async function pullFile(task: Task, { portable = false }: { portable?: boolean }): Promise<void> {
  const { file, notes } = await (await ConfigurationService.of(task)).printed(portable);
  sayNotes(task, notes);
  const text = `${FIRST_LINE}\n${stringify(file, { lineWidth: 100, aliasDuplicateObjects: false })}`;
  process.stdout.write(process.stdout.isTTY ? text.split('\n').map(printable).join('\n') : text);
}

export function printSchema(): void {
  process.stdout.write(schemaText('leaderboards.schema.json'));
}
