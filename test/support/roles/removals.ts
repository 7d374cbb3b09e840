import { uuidOf } from '../../../src/base/ids.js';
import type { TestApp } from '../app.js';
import type { Cast } from './callers.js';
import type { Target } from './policies.js';
import type { Names } from './studio-shape.js';

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
  endpoint_id: 'webhook_endpoints',
  provider_id: 'identity_providers',
  player_provider_id: 'player_providers',
};

/** Kinds of records that can be deleted, as REST's path parameters name them. */
const DELETABLE = Object.keys(TABLES);

/** Without the account, which takes everything in it along. */
export const BELOW = DELETABLE.filter((kind) => kind !== 'account_id');

/**
 * Sets whether records are deleted, bypassing all rules, and makes the service read them again. Written directly to
 * the database, so that nothing else happens to the records in them.
 */
export async function setDeleted(
  app: TestApp,
  names: Names,
  deleted: boolean,
  kinds = DELETABLE,
): Promise<void> {
  await app.database.knex.raw(deletions(app, names, deleted, kinds).join(';'));
  for (const kind of kinds) app.changes.mark(names[kind]!);
}

function deletions(app: TestApp, names: Names, deleted: boolean, kinds: string[]): string[] {
  const at = deleted ? `'${new Date(app.clock.now()).toISOString()}'` : 'null';
  return kinds.map((kind) => set(kind, names, `deleted_at = ${at}`, `(deleted_at is null) = ${deleted}`));
}

function set(kind: string, names: Names, values: string, where = 'true'): string {
  return `update ${TABLES[kind]} set ${values} where id = '${uuidOf(names[kind]!)}' and ${where}`;
}

/** A device that was deleted together with its player. */
function goneTogether(app: TestApp, device: string): string[] {
  const at = new Date(app.clock.now()).toISOString();
  return [
    `update identities set deleted_at = '${at}', deleted_with = '${device}' where deleted_at is null
      and id = (select identity_id from devices where id = '${device}')`,
    `update devices set deleted_at = '${at}' where id = '${device}' and deleted_at is null`,
  ];
}

/**
 * Resets everything an update of the target may have deleted, restored, suspended, revoked or promoted.
 * @param chief whether its user is a superadmin
 */
export async function setBack(app: TestApp, cast: Cast, target: Target, chief = false): Promise<void> {
  if (target === 'none') return;
  if (target === 'deleted') return setDeleted(app, cast.aurora.deleted, true, BELOW);
  const { live } = { live: cast.aurora, ...cast }[target];
  const suspended = target === 'suspended' ? 'suspended' : 'active';
  const status = (wanted: string) => [`status = '${wanted}'`, `status <> '${wanted}'`] as const;
  // In one go, because this follows every request of the matrix that may have changed something.
  const statements = [
    ...deletions(app, live, false, target === 'buried' ? BELOW : DELETABLE),
    ...(target === 'buried' ? deletions(app, live, true, ['account_id']) : []),
    set('account_id', live, ...status(suspended)),
    ...['user_id', 'key_id', 'device_id'].map((kind) => set(kind, live, ...status('active'))),
    set('board_id', live, 'is_active = true, ends_at = null', 'not is_active or ends_at is not null'),
    set('user_id', live, `super_admin = ${chief}`, `super_admin <> ${chief}`),
    set('session_id', live, `status = 'active', revoked_at = null`, `status <> 'active'`),
    ...goneTogether(app, uuidOf(live.gone_device_id!)),
  ];
  await app.database.knex.raw(statements.join(';'));
  for (const kind of DELETABLE) app.changes.mark(live[kind]!);
}
