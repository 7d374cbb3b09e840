import { uuidOf } from '../../../src/ids.js';
import type { TestApp } from '../app.js';
import { flag } from '../flags.js';
import { type Caller } from '../http.js';
import { change, makeKey, makeUser, type Player, startSession } from '../make.js';
import { BELOW, setDeleted } from './removals.js';
import { makeSubject, type Studio } from './studio.js';

/** Whose credential stands; the columns of the policies, in this order. */
export const WHOLE = ['visitor', 'player', 'sibling', 'stranger', 'admin', 'rival', 'superadmin'] as const;
export type Whole = (typeof WHOLE)[number];

/** Who calls, and for a credential that is no good the one code it meets wherever a credential is asked for. */
export interface Actor {
  name: string;
  caller: Caller;
  /** Undefined: the policies tell. */
  code?: string;
}

/** Everybody of the matrix, and the four studios whose records they go for. */
export interface Cast {
  /** In good standing: its administrator, its game client and that of its other game call. */
  aurora: Studio;
  /** In good standing: its administrator and its game client are the strangers. */
  borealis: Studio;
  suspended: Studio;
  /** Its account was deleted, and nothing else of it. */
  buried: Studio;
  whole: Record<Whole, Caller>;
  actors: Actor[];
}

export async function makeCast(app: TestApp): Promise<Cast> {
  const studios = {
    aurora: await makeSubject(app, 'aurora'),
    borealis: await makeSubject(app, 'borealis'),
    suspended: await makeSubject(app, 'cirrus'),
    buried: await makeSubject(app, 'dusk'),
  };
  const { aurora, borealis, suspended, buried } = studios;
  // Comes behind those of the other studios.
  const late = await flag(aurora.owner, aurora.live.event_id!);
  aurora.ids.private.push(late.id);
  const broken = await brokenActors(app, aurora);
  broken.push(
    { name: 'an administrator of a suspended account', caller: suspended.owner, code: 'ACCOUNT_SUSPENDED' },
    { name: 'a client of a suspended account', caller: suspended.player.client, code: 'ACCOUNT_SUSPENDED' },
    { name: 'an administrator of a deleted account', caller: buried.owner, code: 'INVALID_API_KEY' },
    { name: 'a client of a deleted account', caller: buried.player.client, code: 'INVALID_TOKEN' },
  );
  for (const { deleted } of [aurora, borealis, suspended, buried]) {
    await setDeleted(app, deleted, true, BELOW);
  }
  await setDeleted(app, buried.live, true, ['account_id']);
  await change(app.superadmin, 'Account', suspended.live.account_id!, { status: 'SUSPENDED' });
  const whole = {
    visitor: app.anyone,
    player: aurora.player.client,
    sibling: aurora.sibling.client,
    stranger: borealis.player.client,
    admin: aurora.owner,
    rival: borealis.owner,
    superadmin: app.superadmin,
  };
  const actors = [...WHOLE.map((name) => ({ name, caller: whole[name] })), ...broken];
  return { ...studios, whole, actors };
}

/** Callers of the studio who could do everything there if their credential were good. */
async function brokenActors(app: TestApp, { live }: Studio): Promise<Actor[]> {
  const { knex } = app.database;
  const { account_id: accountId, game_id: gameId } = live as { account_id: string; game_id: string };
  const actors: Actor[] = [];
  const keyed = async (
    name: string,
    code: string,
    spoil: (userId: string, keyId: string) => Promise<unknown>,
  ) => {
    const user = await makeUser(app.superadmin, accountId, { displayName: 'aurora-private helper' });
    const key = await makeKey(app.superadmin, accountId, user.id);
    await spoil(user.id, key.id);
    actors.push({ name, code, caller: app.anyone.with({ 'service-api-key': key.key }) });
  };
  const played = async (name: string, code: string, spoil: (player: Player) => Promise<unknown>) => {
    const player = await startSession(app, gameId);
    await spoil(player);
    actors.push({ name, code, caller: player.client });
  };
  const root = app.superadmin;
  const removed = { deleted_at: new Date(app.clock.now()) };
  await keyed('a suspended user', 'USER_SUSPENDED', (id) =>
    change(root, 'User', id, { status: 'SUSPENDED' }),
  );
  await keyed('a deleted user', 'INVALID_API_KEY', (id) => change(root, 'User', id, { deleted: true }));
  await keyed('an invited user', 'INVALID_API_KEY', (id) =>
    knex('users').where('id', uuidOf(id)).update({ status: 'invited' }),
  );
  await keyed('a revoked key', 'INVALID_API_KEY', (_, id) =>
    change(root, 'ApiKey', id, { status: 'REVOKED' }),
  );
  await keyed('a deleted key', 'INVALID_API_KEY', (_, id) => change(root, 'ApiKey', id, { deleted: true }));
  await keyed('an expired key', 'INVALID_API_KEY', (_, id) =>
    knex('api_keys')
      .where('id', uuidOf(id))
      .update({ expires_at: new Date(app.clock.now()) }),
  );
  await played('a banned device', 'DEVICE_BLOCKED', ({ session }) =>
    change(root, 'Device', session.id, { status: 'BANNED' }),
  );
  await played('a suspended device', 'DEVICE_BLOCKED', ({ session }) =>
    change(root, 'Device', session.id, { status: 'SUSPENDED' }),
  );
  await played('a deleted device', 'INVALID_TOKEN', ({ session }) =>
    change(root, 'Device', session.id, { deleted: true }),
  );
  await played('a revoked session', 'INVALID_TOKEN', ({ session }) =>
    knex('device_sessions')
      .where('device_id', uuidOf(session.id))
      .update({ status: 'revoked', revoked_at: new Date(app.clock.now()) }),
  );
  await played('a client whose player was deleted', 'INVALID_TOKEN', ({ session }) =>
    knex('identities').where('id', uuidOf(session.identityId)).update(removed),
  );
  await played('a client whose tokens were exchanged', 'INVALID_TOKEN', ({ session }) =>
    app.anyone.data(
      'mutation ($token: String!) { refreshDeviceSession(input: { refreshToken: $token }) { expiresIn } }',
      { token: session.refreshToken },
    ),
  );
  actors.push(
    {
      name: 'a made-up key',
      code: 'INVALID_API_KEY',
      caller: root.with({ 'service-api-key': `svc_${'x'.repeat(43)}` }),
    },
    {
      name: 'a made-up token',
      code: 'INVALID_TOKEN',
      caller: app.anyone.with({ authorization: 'Bearer a.b.c' }),
    },
  );
  return actors;
}
