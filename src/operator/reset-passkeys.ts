import 'reflect-metadata';
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { User } from '../accounts/users/user.js';
import { canonicalEmail } from '../base/email-address.js';
import { SetupError } from '../base/errors.js';
import { makeLog } from '../base/log.js';
import { readConfig } from '../config/table.js';
import { openDatabase } from '../db/pool.js';
import { auditedWrite, workOf } from '../graphql/author.js';
import { Outbox, Seal } from '../mail/outbox.js';
import { visitServer } from '../process/database.js';
import { openSecrets } from '../process/secrets.js';
import { runProcess } from '../process/shutdown.js';
import { Passkey } from '../registration/passkeys/passkey.js';
import { resetPasskeys } from '../registration/passkeys/passkeys.js';

// leaderboard reset-passkeys <email> | --all: removes the passkeys of a user, or of everyone who has some, also while the
// service runs.
runProcess(async (disposal) => {
  const config = readConfig(process.env);
  const email = wantedUser();
  const server = await visitServer(config, makeLog(config.logLevel));
  disposal.add(server.close);
  const { knex, close } = openDatabase(server.connectionString, { records: 1, scores: 1 });
  disposal.add(close);
  const { keySecret } = await openSecrets(config, knex);
  const outbox = new Outbox(new Seal(keySecret));
  const now = new Date();
  const users = await found(knex, email);
  for (const { id } of users) {
    await auditedWrite({ db: knex, ...workOf('operator', 'reset-passkeys', now) }, async (trx) => {
      const user = await User.query(trx).findById(id.slice(4)).forUpdate();
      if (user) await resetPasskeys(trx, outbox, user, now);
    });
  }
  process.stdout.write(`Reset the passkeys of ${users.length} ${users.length === 1 ? 'user' : 'users'}.\n`);
  return 'done';
});

/** @returns undefined: all */
function wantedUser(): string | undefined {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { all: { type: 'string' } },
  });
  if (positionals.length === (values.all === undefined ? 1 : 0)) return positionals[0];
  throw new SetupError('Usage: name the email address of a user, or --all.');
}

/** @throws SetupError */
async function found(db: Knex, email: string | undefined): Promise<User[]> {
  const live = User.query(db).whereNull('deleted_at');
  if (email === undefined) {
    return live.whereIn('id', Passkey.query(db).whereNull('deleted_at').select('user_id')).orderBy('id');
  }
  const canonical = canonicalEmail(email);
  const users = canonical === undefined ? [] : await live.whereRaw('lower(email) = lower(?)', [canonical]);
  if (users.length === 0) throw new SetupError(`No user has the address ${email}.`);
  return users;
}
