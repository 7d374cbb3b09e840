import { uuidOf } from '../../../src/ids.js';
import type { TestApp } from '../app.js';
import type { Cast } from './callers.js';
import type { Target } from './policies.js';
import type { Names } from './studio.js';

const TABLES: Names = {
  account_id: 'accounts',
  user_id: 'users',
  key_id: 'api_keys',
  game_id: 'games',
  board_id: 'boards',
  template_id: 'board_templates',
  device_id: 'devices',
  session_id: 'device_sessions',
  identity_id: 'identities',
  flag_id: 'score_flags',
};

/** Kinds of records that can be deleted, as REST's path parameters name them. */
const DELETABLE = Object.keys(TABLES);

/** Without the account, which goes with all that is below it. */
export const BELOW = DELETABLE.filter((kind) => kind !== 'account_id');

/**
 * Sets whether records are deleted, past all rules, and makes the service look anew. Written beside the service, so that
 * nothing but the deletion itself happens to what lies below.
 */
export async function setDeleted(
  app: TestApp,
  names: Names,
  deleted: boolean,
  kinds = DELETABLE,
): Promise<void> {
  const at = new Date(app.clock.now());
  for (const kind of kinds) {
    const uuid = uuidOf(names[kind]!);
    await app.database
      .knex(TABLES[kind]!)
      .where('id', uuid)
      .update({ deleted_at: deleted ? at : null });
    app.changes.mark(names[kind]!);
  }
}

/** All that an update of the target may have deleted, restored, suspended or revoked stands again as it stood. */
export async function setBack(app: TestApp, cast: Cast, target: Target): Promise<void> {
  if (target === 'none') return;
  if (target === 'deleted') return setDeleted(app, cast.aurora.deleted, true, BELOW);
  const { live } = { live: cast.aurora, ...cast }[target];
  const { knex } = app.database;
  await setDeleted(app, live, false);
  for (const kind of ['account_id', 'user_id', 'key_id', 'device_id']) {
    await knex(TABLES[kind]!).where('id', uuidOf(live[kind]!)).update({ status: 'active' });
  }
  const session = knex('device_sessions').where('id', uuidOf(live.session_id!));
  await session.update({ status: 'active', revoked_at: null });
  if (target === 'buried') await setDeleted(app, live, true, ['account_id']);
  if (target === 'suspended') {
    await knex('accounts').where('id', uuidOf(live.account_id!)).update({ status: 'suspended' });
  }
  app.changes.mark(live.account_id!);
}
