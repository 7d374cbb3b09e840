import type { Command } from 'commander';
import { does } from './nouns/commands.js';

const FILE = 'the file, usually leaderboards.yaml (-: standard input)';

/** YAML, JSON Schema and GraphQL are loaded for these commands alone. */
const load = () => import('./configuration/commands.js');

/** Adds `plan`, `apply`, `pull` and `schema`: the configuration of an account as a file. */
export function configurationCommands(program: Command): void {
  const plan = program
    .command('plan')
    .description('show what apply would change; exits with 3 if there are changes')
    .argument('<file>', FILE)
    .option('--prune', 'delete records that are not in the file');
  does(plan, async (task) => (await load()).planFile(task, plan.args[0]!, plan.opts()));
  const apply = program
    .command('apply')
    .description('create and change games, boards, templates and webhooks to match a file')
    .argument('<file>', FILE)
    .option('--prune', 'delete records that are not in the file')
    .option('-y, --yes', 'do not ask before deleting');
  does(apply, async (task) => (await load()).applyFile(task, apply.args[0]!, apply.opts()));
  const pull = program
    .command('pull')
    .description('print games, boards, templates and webhooks as a file for plan and apply')
    .option(
      '--portable',
      'leave out game slugs and short codes, for use with another account of the installation',
    );
  does(pull, async (task) => (await load()).pullFile(task, pull.opts()));
  program
    .command('schema')
    .description('print the JSON Schema of the file, for editors')
    .action(async () => (await load()).printSchema());
}
