import { Command } from 'commander';

/** Words that people know from other programs, with the command or the option that they mean. */
const MEANT: Record<string, string> = {
  add: 'create',
  new: 'create',
  make: 'create',
  ls: 'list',
  get: 'show',
  view: 'show',
  info: 'show',
  edit: 'update',
  set: 'update',
  change: 'update',
  modify: 'update',
  rm: 'delete',
  remove: 'delete',
  undelete: 'restore',
  leaderboards: 'boards',
  identities: 'players',
  runs: 'scores',
  members: 'users',
  hooks: 'webhooks',
  tokens: 'keys',
  auth: 'login',
  signin: 'login',
  'sign-in': 'login',
  signup: 'register',
  'sign-up': 'register',
  me: 'whoami',
  diff: 'plan',
  deploy: 'apply',
  '--top': '--limit',
  '--max': '--limit',
  '--count': '--limit',
  '--first': '--limit',
  '--order-by': '--sort',
  '--page': '--cursor',
  '--output': '--json',
  '--force': '--yes',
  '--url': '--api',
  '--host': '--api',
  '--server': '--api',
};

const KEY_OPTIONS = ['--key', '--api-key', '--token'];
const MOST_GUESSES = 3;

/** Edits that make one word of the other: inserted, left out, replaced and swapped letters. */
function distance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const edits = [rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (isSame ? 0 : 1)];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(Math.min(...edits, isSwapped ? rows[i - 2]![j - 2]! + 1 : edits[0]!));
    }
    rows.push(row);
  }
  return rows[from.length]![to.length]!;
}

/**
 * The names that a mistyped word may mean, the likeliest first: by what it means elsewhere, names that begin with it or have it as a
 * part, else those with the fewest edits, at most one for three letters.
 */
function nearest(word: string, names: readonly string[]): string[] {
  const typed = word.toLowerCase().replaceAll('_', '-');
  const meant = MEANT[typed] ?? MEANT[`${typed}s`];
  if (meant !== undefined && names.includes(meant)) return [meant];
  const bare = typed.replace(/^(?:--)?(?:is-)?/, '').replace(/-ids?$/, '');
  const bareOf = (name: string) => name.replace(/^--/, '');
  const parts = names.filter((name) => bareOf(name) === bare || bareOf(name) === `${bare}s`);
  const beginning = bare.length > 1 ? names.filter((name) => bareOf(name).startsWith(bare)) : [];
  const within = bare.length > 2 ? names.filter((name) => bareOf(name).split('-').includes(bare)) : [];
  const whole = [parts, beginning, within].find((list) => list.length > 0);
  if (whole) return whole.slice(0, MOST_GUESSES);
  const most = Math.max(1, Math.floor(bare.length / 3));
  const edits = names.map((name) => ({ name, count: distance(bare, bareOf(name)) }));
  const fewest = Math.min(...edits.map(({ count }) => count), most);
  return edits
    .filter(({ count }) => count <= fewest)
    .map(({ name }) => name)
    .slice(0, MOST_GUESSES);
}

function question(guesses: readonly string[]): string {
  if (guesses.length === 0) return '';
  const named = guesses.length === 1 ? guesses[0] : `one of ${guesses.join(', ')}`;
  return `\n(Did you mean ${named}?)`;
}

const namesOf = (command: Command) => command.commands.map((below) => below.name());

/** What may be meant by words that name no command below this one. */
function guessedCommands(command: Command, [word = '', next]: readonly string[]): string[] {
  const typed = word.toLowerCase();
  const act = MEANT[typed] ?? typed;
  const has = (noun: Command, name: string) => namesOf(noun).includes(name);
  const nouns = command.commands.filter((noun) => noun.commands.length > 0);
  const swapped = nouns.find((noun) => next !== undefined && noun.name() === next && has(noun, act));
  if (swapped) return [`${swapped.name()} ${act}`];
  const below = nouns.filter((noun) => has(noun, act)).map((noun) => `${noun.name()} ${act}`);
  if (below.length > 0) return below.slice(0, MOST_GUESSES);
  return nearest(typed, namesOf(command));
}

/** A command whose errors say what may have been meant. Commander calls the two methods, and they end the command. */
export class GuessingCommand extends Command {
  override createCommand(name?: string): Command {
    return new GuessingCommand(name);
  }

  unknownCommand(): void {
    const guesses = guessedCommands(this, this.args);
    this.error(`error: unknown command '${this.args[0]}'${question(guesses)}`, {
      code: 'commander.unknownCommand',
    });
  }

  unknownOption(flag: string): void {
    const [word = ''] = this.args;
    // The options of a mistyped command are not known here.
    const isMistyped = this.commands.length > 0 && !word.startsWith('-') && !namesOf(this).includes(word);
    if (isMistyped) this.unknownCommand();
    const commands = [this as Command];
    for (let above = this.parent; above; above = above.parent) commands.push(above);
    const names = commands.flatMap(({ options }) =>
      options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])),
    );
    const isKey = KEY_OPTIONS.includes(flag);
    const hint = isKey
      ? '\n(A key is no option. Run "leaderboard login", or set LEADERBOARD_API_KEY.)'
      : question(flag.startsWith('--') ? nearest(flag, names) : []);
    this.error(`error: unknown option '${flag}'${hint}`, { code: 'commander.unknownOption' });
  }
}
