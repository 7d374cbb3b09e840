import type { Command } from 'commander';
import { does } from './nouns/commands.js';

const FILE = 'the file, leaderboards.yaml by convention (-: standard input)';

/** YAML, JSON Schema and GraphQL are loaded for these commands alone. */
const load = () => import('./configuration/commands.js');

/** Adds `plan`, `apply`, `pull` and `schema`: the configuration of an account as a file. */
export function configurationCommands(program: Command): void {
  const plan = program
    .command('plan')
    .description('print what apply would change; exits with 3 if anything')
    .argument('<file>', FILE)
    .option('--prune', 'delete records that the file does not name');
  does(plan, async (task) => (await load()).planFile(task, plan.args[0]!, plan.opts()));
  const apply = program
    .command('apply')
    .description('make games, boards and templates as a file says')
    .argument('<file>', FILE)
    .option('--prune', 'delete records that the file does not name')
    .option('-y, --yes', 'do not ask before deletions');
  does(apply, async (task) => (await load()).applyFile(task, apply.args[0]!, apply.opts()));
  const pull = program
    .command('pull')
    .description('print games, boards and templates as a file for plan and apply')
    .option('--portable', 'without slugs of games and short codes, for another account of the installation');
  does(pull, async (task) => (await load()).pullFile(task, pull.opts()));
  program
    .command('schema')
    .description('print the JSON Schema of the file, for editors')
    .action(async () => (await load()).printSchema());
}
