import type { Inspected } from '../db/pooler.js';

interface Ways {
  /** Description of DATABASE_URL, without credentials. */
  place: string;
  /** DATABASE_PREPARED_STATEMENTS. */
  preparedStatements: boolean;
  /** Findings about DATABASE_URL. */
  through: Inspected;
  /** Findings about DATABASE_DIRECT_URL, if it is set. */
  direct: Inspected | undefined;
}

/** Returns the sentence that refuses a start behind a pooler that is not set up for the service, if it is not. */
export function unfitPooler({ place, preparedStatements, through, direct }: Ways): string | undefined {
  if (direct?.mode === 'transaction') {
    return 'DATABASE_DIRECT_URL leads to a pooler in transaction mode: set it to the address of the Postgres itself.';
  }
  if (direct && direct.database !== through.database) {
    return 'DATABASE_DIRECT_URL and DATABASE_URL lead to different databases: correct one of them.';
  }
  if (through.mode === 'direct') return undefined;
  const unnamed = preparedStatements && !through.keepsNames;
  if (through.mode === 'transaction' && !direct) {
    return `${place} is a pooler in transaction mode, which ends what belongs to a session with each transaction: set DATABASE_DIRECT_URL to the address of the Postgres itself${unnamed ? ', and DATABASE_PREPARED_STATEMENTS=false because the pooler keeps no named statements' : ''}.`;
  }
  if (unnamed) {
    return `The pooler at ${place} keeps no named statements: set DATABASE_PREPARED_STATEMENTS=false.`;
  }
  if (through.refusesOptions) {
    return `The pooler at ${place} refuses session settings: add "options" to its ignore_startup_parameters and the settings to its connect_query (deploy/pgbouncer/pgbouncer.ini has them).`;
  }
  if (through.missing.length > 0) {
    const statements = through.missing.map((setting) => `set ${setting};`).join(' ');
    return `The pooler at ${place} does not give its connections the session settings of the service: add "${statements}" to its connect_query (deploy/pgbouncer/pgbouncer.ini has them), or give them to the user by "alter role", and let the pooler connect anew.`;
  }
  return undefined;
}
