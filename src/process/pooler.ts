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
    return 'DATABASE_DIRECT_URL points to a pooler in transaction mode. Set it to the address of Postgres itself.';
  }
  if (direct && direct.database !== through.database) {
    return 'DATABASE_DIRECT_URL and DATABASE_URL point to different databases. Correct one of them.';
  }
  if (through.mode === 'direct') return undefined;
  const unnamed = preparedStatements && !through.keepsNames;
  if (through.mode === 'transaction' && !direct) {
    return (
      `${place} is a pooler in transaction mode, which loses session state after each transaction. Set ` +
      `DATABASE_DIRECT_URL to the address of Postgres ` +
      `itself${unnamed ? ', and DATABASE_PREPARED_STATEMENTS=false because the pooler does not keep prepared statements' : ''}.`
    );
  }
  if (unnamed) {
    return `The pooler at ${place} does not keep prepared statements. Set DATABASE_PREPARED_STATEMENTS=false.`;
  }
  if (through.refusesOptions) {
    return (
      `The pooler at ${place} rejects session settings. Add "options" to its ignore_startup_parameters and ` +
      `the settings to its connect_query (see deploy/pgbouncer/pgbouncer.ini).`
    );
  }
  if (through.missing.length > 0) {
    const statements = through.missing.map((setting) => `set ${setting};`).join(' ');
    return (
      `Connections through the pooler at ${place} lack the session settings of the service. Add ` +
      `"${statements}" to its connect_query (see deploy/pgbouncer/pgbouncer.ini), or set them for the user with "alter ` +
      `role", and let the pooler reconnect.`
    );
  }
  return undefined;
}
