import { uuidOf } from '../../../src/base/ids.js';
import { type TokenPair, Tokens } from '../../../src/players/sessions/tokens.js';
import { SETTINGS, type TestApp } from '../app.js';
import { flag } from '../flags.js';
import { type Caller } from '../http.js';
import { change, makeGame, makeKey, makeUser, type Player, startSession } from '../make.js';
import { takeNonce } from '../play.js';
import type { Target } from './policies.js';
import { BELOW, setDeleted } from './removals.js';
import { makeClosing, makeSubject } from './studio.js';
import type { Studio } from './studio-shape.js';

/** Callers with a valid credential: the columns of the policies, in this order. */
export const WHOLE = ['visitor', 'player', 'sibling', 'stranger', 'admin', 'rival', 'superadmin'] as const;
export type Whole = (typeof WHOLE)[number];

/** A caller; with an invalid credential, also the code it gets wherever a credential is required. */
export interface Actor {
  name: string;
  caller: Caller;
  /** Undefined: the policies decide. */
  code?: string;
  /** A game client's nonce from before its credential became invalid. */
  nonce?: string;
  /** The target that is its studio. */
  home?: Target;
}

/** All callers of the matrix, and the four studios whose records they request. */
export interface Cast {
  /** Active: its administrator, its game client and that of its other game are callers. */
  aurora: Studio;
  /** Active: its administrator and its game client are the strangers. */
  borealis: Studio;
  suspended: Studio;
  /** Only its account was deleted. */
  buried: Studio;
  /** The superadmin's address. */
  operator: string;
  whole: Record<Whole, Caller>;
  actors: Actor[];
}

/** Callers who request records of the first studio. */
export function wholeCallers(app: TestApp, aurora: Studio, borealis: Studio): Record<Whole, Caller> {
  return {
    visitor: app.anyone,
    player: aurora.player.client,
    sibling: aurora.sibling.client,
    stranger: borealis.player.client,
    admin: aurora.owner,
    rival: borealis.owner,
    superadmin: app.superadmin,
  };
}

export async function makeCast(app: TestApp): Promise<Cast> {
  const studios = {
    aurora: await makeSubject(app, 'aurora'),
    borealis: await makeSubject(app, 'borealis'),
    suspended: await makeSubject(app, 'cirrus'),
    buried: await makeSubject(app, 'dusk'),
  };
  const { aurora, borealis, suspended, buried } = studios;
  // Comes after those of the other studios.
  const late = await flag(aurora.owner, aurora.live.event_id!);
  aurora.ids.private.push(late.id);
  // Who listens for rewards hears of one.
  for (const { session } of [aurora.player, aurora.sibling, borealis.player]) await giveReward(app, session);
  const broken = await brokenActors(app, aurora);
  broken.push(
    { name: 'an administrator of a suspended account', caller: suspended.owner, code: 'ACCOUNT_SUSPENDED' },
    {
      name: 'a client of a suspended account',
      caller: suspended.player.client,
      code: 'ACCOUNT_SUSPENDED',
      nonce: await takeNonce(suspended.player.client),
      home: 'suspended',
    },
    { name: 'an administrator of a deleted account', caller: buried.owner, code: 'INVALID_API_KEY' },
    {
      name: 'a client of a deleted account',
      caller: buried.player.client,
      code: 'INVALID_TOKEN',
      nonce: await takeNonce(buried.player.client),
      home: 'buried',
    },
  );
  for (const { deleted } of [aurora, borealis, suspended, buried]) {
    await setDeleted(app, deleted, true, BELOW);
  }
  await setDeleted(app, buried.live, true, ['account_id']);
  await change(app.superadmin, 'Account', suspended.live.account_id!, { status: 'SUSPENDED' });
  const whole = wholeCallers(app, aurora, borealis);
  const actors = [...WHOLE.map((name) => ({ name, caller: whole[name] })), ...broken];
  const { me } = await app.superadmin.data('{ me { user { email } } }');
  return { ...studios, operator: me.user.email, whole, actors };
}

/** An open reward of a player, for a closing of its game's first board. */
async function giveReward({ database }: TestApp, { identityId, gameId }: Player['session']): Promise<void> {
  const boards = database.knex('boards').where({ game_id: uuidOf(gameId), deleted_at: null });
  const { id } = await boards.orderBy(['created_at', 'id']).first('id');
  await makeClosing(database.knex, id, uuidOf(identityId), 'own', 'open');
}

/** Callers of the studio who could do everything there if their credential were valid. */
async function brokenActors(app: TestApp, { live, owner, player }: Studio): Promise<Actor[]> {
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
  /** @param refresh the name of its refresh token, for rows that exchange it */
  const played = async (
    name: string,
    code: string,
    refresh: string,
    spoil: (player: Player) => Promise<unknown>,
    game = gameId,
  ) => {
    const player = await startSession(app, game, { clientFingerprint: `aurora-private ${refresh}` });
    live[refresh] = player.session.refreshToken;
    const nonce = await takeNonce(player.client);
    await spoil(player);
    actors.push({ name, code, caller: player.client, nonce });
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
  await played('a banned device', 'DEVICE_BLOCKED', 'banned_token', ({ session }) =>
    change(root, 'Device', session.deviceId, { status: 'BANNED' }),
  );
  await played('a suspended device', 'DEVICE_BLOCKED', 'suspended_token', ({ session }) =>
    change(root, 'Device', session.deviceId, { status: 'SUSPENDED' }),
  );
  // Its player stays, as it would with other devices.
  await played('a deleted device', 'INVALID_TOKEN', 'deleted_device_token', ({ session }) =>
    knex('devices').where('id', uuidOf(session.deviceId)).update(removed),
  );
  const sessions = ({ session }: Player) =>
    knex('device_sessions').where('device_id', uuidOf(session.deviceId));
  await played('a revoked session', 'INVALID_TOKEN', 'revoked_token', (player) =>
    sessions(player).update({ status: 'revoked', revoked_at: new Date(app.clock.now()) }),
  );
  await played('a deleted session', 'INVALID_TOKEN', 'deleted_token', (player) =>
    sessions(player).update(removed),
  );
  await played('a client whose player was deleted', 'INVALID_TOKEN', 'orphan_token', ({ session }) =>
    knex('identities').where('id', uuidOf(session.identityId)).update(removed),
  );
  await played('a client whose tokens were exchanged', 'INVALID_TOKEN', 'exchanged_token', ({ session }) =>
    app.anyone.data(
      'mutation ($token: String!) { refreshDeviceSession(input: { refreshToken: $token }) { expiresIn } }',
      { token: session.refreshToken },
    ),
  );
  const ended = await makeGame({ accountId, admin: root }, { name: 'aurora-gone game of a client' });
  await played(
    'a client of a deleted game',
    'INVALID_TOKEN',
    'ended_token',
    () => change(root, 'Game', ended.id, { deleted: true }),
    ended.id,
  );
  const claims = tokens(app).access(bearerOf(player))!;
  const issued = (name: string, of: Tokens, age = 0, kind: keyof TokenPair = 'accessToken') => {
    const pair = of.issue(claims, app.clock.now() - age);
    const caller = app.anyone.with({ authorization: `Bearer ${pair[kind]}` });
    actors.push({ name, code: 'INVALID_TOKEN', caller });
  };
  issued('a token that has expired', tokens(app), SETTINGS.accessTokenSeconds * 1_000);
  issued('a token signed with another secret', tokens(app, 'as long as the secret of the service itself'));
  issued('a token that is for refreshing', tokens(app), 0, 'refreshToken');
  const longAgo = app.clock.now() - SETTINGS.refreshTokenSeconds * 1_000;
  live.expired_token = tokens(app).issue(claims, longAgo).refreshToken;
  actors.push(
    {
      name: 'a made-up key',
      code: 'INVALID_API_KEY',
      caller: root.with({ 'service-api-key': `svc_${'x'.repeat(43)}` }),
    },
    {
      name: 'a key that begins as another one',
      code: 'INVALID_API_KEY',
      caller: owner.with({ 'service-api-key': `${owner.headers['service-api-key']!.slice(0, -1)}.` }),
    },
    {
      name: 'a made-up token',
      code: 'INVALID_TOKEN',
      caller: app.anyone.with({ authorization: 'Bearer a.b.c' }),
    },
  );
  return actors;
}

function tokens(app: TestApp, jwtSecret = SETTINGS.jwtSecret): Tokens {
  return new Tokens({ ...SETTINGS, jwtSecret }, app.clock.now);
}

function bearerOf({ client }: Player): string {
  return client.headers.authorization!.split(' ')[1]!;
}
