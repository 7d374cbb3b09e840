import { schemaText } from '../contract/package.js';
import { askYes, Cancelled, canAsk } from '../input.js';
import { EXIT, report } from '../output/failure.js';
import { jsonText, printable } from '../output/output.js';
import type { Task } from '../output/task.js';
import { Application } from './apply.js';
import { FileChecks } from './check.js';
import { readContent } from './desired.js';
import { readYamlFile, type YamlFile } from './file.js';
import { makePlan, type Plan, type PlannedChange } from './plan.js';
import { FilePrinter } from './print.js';
import { changeJson, changeLines, doneLine, planLines, secretLines } from './report.js';
import { ownAccount, readStored, type StoredAccount } from './stored.js';

function sayNotes(task: Task, { notes }: StoredAccount): void {
  if (task.options.quiet) return;
  for (const note of notes) process.stderr.write(`note: ${printable(note)}\n`);
}

/** The account of the command: that of `--account`, else the key's. */
async function accountOf(task: Task): Promise<string> {
  return (await task.namedAccount()) ?? ownAccount(task.session);
}

/** The plan of the command's file. @throws FileError when the file is wrong; nothing is changed then */
async function planned(
  task: Task,
  name: string,
  prune: boolean,
): Promise<{ file: YamlFile; plan: Plan; account: string }> {
  const file = await readYamlFile(name);
  const content = readContent(file);
  new FileChecks(file).content(content);
  file.refuseFaults();
  const account = await accountOf(task);
  const stored = await readStored(task.session, account, content.webhooks !== undefined);
  sayNotes(task, stored);
  return { file, plan: await makePlan(task.session, file, content, stored, prune), account };
}

interface PlanOptions {
  prune?: boolean;
}

/** Prints the plan of a file. Exit code 3: there are changes. */
export async function planFile(task: Task, name: string, { prune = false }: PlanOptions): Promise<void> {
  const { plan } = await planned(task, name, prune);
  const { changes, unnamed } = plan;
  if (task.options.json) {
    const left = prune ? [] : unnamed.map(({ kind, label }) => ({ kind, name: label }));
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
  if (!(await askYes('Delete these?'))) throw new Cancelled('Cancelled. Nothing was changed.');
}

/** Makes all changes up to the first refusal, and reports them. */
async function applied(task: Task, file: YamlFile, plan: Plan, account: string): Promise<void> {
  const { json, quiet } = task.options;
  const application = new Application(task.session, account, plan);
  const done: { change: PlannedChange; id: string }[] = [];
  let failure: unknown;
  for (const change of plan.changes) {
    try {
      const id = await application.make(change);
      done.push({ change, id });
      if (quiet) task.out.line(id);
      for (const line of [...changeLines(change), ...secretLines(change, id)]) task.out.say(line);
    } catch (error) {
      failure = error;
      break;
    }
  }
  const left = plan.changes.slice(done.length);
  if (json) {
    const made = done.map(({ change, id }) => changeJson(change, id));
    task.out.line(jsonText({ done: made, not_done: left.map((change) => changeJson(change)) }, 2));
  } else if (plan.changes.length === 0) {
    task.out.say('Nothing to do. The service matches the file.');
  } else {
    task.out.say(doneLine(done.map(({ change }) => change)));
  }
  if (failure === undefined) return;
  process.exitCode = report(failure, json ?? false);
  if (json) return;
  const { wanted } = left[0]!;
  const place = wanted ? ` (${file.place(wanted.record.way)})` : '';
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
  const { file, plan, account } = await planned(task, name, prune);
  if (!yes) await confirmDeletions(plan.changes);
  await applied(task, file, plan, account);
}

/** Prints what is stored as a file. */
export async function pullFile(task: Task, { portable = false }: { portable?: boolean }): Promise<void> {
  const stored = await readStored(task.session, await accountOf(task), true);
  sayNotes(task, stored);
  const text = new FilePrinter(portable, Date.now()).text(stored);
  process.stdout.write(process.stdout.isTTY ? text.split('\n').map(printable).join('\n') : text);
}

export function printSchema(): void {
  process.stdout.write(schemaText('leaderboards.schema.json'));
}
