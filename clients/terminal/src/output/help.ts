import type { Command } from 'commander';

/** Commands by what they are for, in the order of the help text. */
const GROUPS: Record<string, string[]> = {
  'Start:': ['register', 'login', 'logout', 'whoami', 'open'],
  'Games and boards:': ['games', 'boards', 'templates'],
  'Scores and players:': [
    'scores',
    'players',
    'events',
    'states',
    'submissions',
    'devices',
    'sessions',
    'player-providers',
    'merges',
  ],
  'Fair play:': ['flags', 'alerts', 'reviews'],
  'Closings and prizes:': ['closings', 'rewards'],
  'Files:': ['plan', 'apply', 'pull', 'schema', 'import', 'imports', 'export'],
  'People and access:': ['invite', 'users', 'keys', 'accounts', 'identity-providers', 'jam-codes', 'audit'],
  'Webhooks:': ['webhooks', 'deliveries'],
  "Database (on the service's machine):": [
    ...['backup', 'restore', 'pause-webhooks', 'upgrade-database', 'reset-passkeys', 'cells'],
  ],
  'Shell:': ['completion', 'help'],
};

/** Commands that most records have. */
const OF_RECORDS = ['list', 'show', 'create', 'update', 'delete', 'restore'];

/** The heading of a command in the program's help; undefined: it has none. */
export function groupOf(name: string): string | undefined {
  return Object.keys(GROUPS).find((heading) => GROUPS[heading]!.includes(name));
}

/** Groups the help of the program and of its commands on records. */
export function groupHelp(program: Command): void {
  // Help texts have groups in the order of the commands; a hidden one has no heading, and is the last.
  const order = Object.values(GROUPS).flat();
  const placeOf = (command: Command) => order.indexOf(command.name()) + 1 || order.length + 1;
  const commands = program.commands as Command[];
  commands.sort((a, b) => placeOf(a) - placeOf(b));
  for (const command of commands) {
    const heading = groupOf(command.name());
    if (heading) command.helpGroup(heading);
    const others = command.commands.filter((below) => !OF_RECORDS.includes(below.name()));
    if (others.length === 0 || others.length === command.commands.length) continue;
    const below = command.commands as Command[];
    below.sort((a, b) => Number(others.includes(a)) - Number(others.includes(b)));
    for (const one of below) one.helpGroup(others.includes(one) ? 'More:' : 'Commands:');
  }
}
