import { EXPORTED } from '../../src/base/transfer/exported.js';
import { SETTINGS } from '../support/app.js';
import type { Caller } from '../support/http.js';
import { makeKey, makeUser } from '../support/make.js';
import type { Cast } from '../support/roles/callers.js';
import { type Cell, cellsOf, changesWhatIsThere } from '../support/roles/cells.js';
import { FIRST_OF_DOOR, Matrix, nameOf, ROWS } from '../support/roles/matrix.js';
import { setBack } from '../support/roles/removals.js';
import type { Row } from '../support/roles/rows.js';

// roles.test.ts asks at every door for every target, and for all that a record leads to; this is its sample for the quick lane.

const DOORS = ROWS.filter((row) => FIRST_OF_DOOR.has(row));
const METHODS = new Set(new Map(DOORS.toReversed().map((row) => [methodOf(row), row])).values());

/**
 * Each caller with a valid credential once per endpoint, for a target that its name chooses; the others at one endpoint
 * per method.
 */
function sampleOf(row: Row, cast: Cast): Cell[] {
  const targets = [...row.policy.cells.keys()];
  const place = [...row.door].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  const target = targets[place % targets.length];
  return cellsOf(row, cast, METHODS.has(row)).filter(
    (cell) => cell.actor.code !== undefined || cell.target === target,
  );
}

/** GET, POST, …; Query, Mutation, Subscription. */
function methodOf({ door }: Row): string {
  return door.split(/[ .]/)[0]!;
}

let matrix: Matrix;
beforeAll(async () => {
  matrix = await Matrix.open(sampleOf, 1);
});
afterAll(() => matrix.close());

test.each(DOORS.map((row) => [nameOf(row), row] as const))('%s', async (_name, row) => {
  expect(await matrix.play(row)).toEqual([]);
});

/** Doors whose requests leave no entry in the audit trail, by the reason. */
const NO_ENTRY: Record<string, string[]> = {
  'submissions are events themselves': [
    ...['submitScore', 'submitScores', 'createScoreEvent', 'createScoreEvents'].map(mutation),
    ...['POST /v1/client/scores', 'POST /v1/client/scores/batch'],
    'PUT /v1/client/score-events/{event_id}/recording',
    ...['POST /v1/score-events', 'POST /v1/score-events/batch'],
  ],
  'they read': ['POST /v1/scores/among', 'POST /v1/client/scores/among', 'POST /v1/configuration/plan'],
  'no plan of the matrix is applied: configuration-plans.test.ts finds the entries of its records': [
    mutation('applyConfiguration'),
    'POST /v1/configuration/apply',
  ],
  'sessions and tokens are records of their own': [
    ...['startDeviceSession', 'refreshDeviceSession', 'issueNonces', 'issueTickets'].map(mutation),
    ...['POST /v1/client/sessions', 'POST /v1/client/sessions/refresh', 'POST /v1/client/tickets'],
    ...[mutation('addPlayerProof'), 'POST /v1/client/proofs'],
    ...['createLinkCode', 'redeemLinkCode'].map(mutation),
    ...['POST /v1/client/link-codes', 'POST /v1/client/link-codes/redeem'],
  ],
  'game servers and clients write them; by hand they have entries': [
    ...['createIdentity', 'setFriends', 'addFriends', 'removeFriends', 'setIdentityTags'].map(mutation),
    ...['POST /v1/identities', 'PATCH /v1/client/tags', 'PATCH /v1/identities/{identity_id}/tags'],
    ...['PATCH /v1/identities/{identity_id}/friends', 'POST /v1/identities/{identity_id}/friends'],
    'POST /v1/identities/{identity_id}/friends/remove',
    ...['startPlayerSession', 'endPlayerSessions'].map(mutation),
    ...['POST /v1/identities/{identity_id}/sessions', 'POST /v1/identities/{identity_id}/sessions/end'],
  ],
  'no device of the matrix is its player’s that calls': ['POST /v1/client/devices/{device_id}/unlink'],
  'an import as a whole has one, when it is finished': [
    ...['createScoreImport', 'addScoreImportChunk', 'cancelScoreImport'].map(mutation),
    ...['POST /v1/boards/{board_id}/imports', 'POST /v1/imports/{import_id}/chunks'],
    'POST /v1/imports/{import_id}/cancel',
  ],
  'nothing is known of who asks for a code': [
    ...['initiateRegistration', 'resendRegistrationCode', 'verifyRegistration', 'sendSignInCode'].map(
      mutation,
    ),
    ...['POST /register/initiate', 'POST /register/resend', 'POST /register/verify'],
    'POST /register/sign-in/code',
  ],
  'nothing of the matrix is held, and no reward is open: prizes.test.ts finds the entries': [
    ...['releasePrizes', 'releaseHeldPrizes', 'reissuePrizes'].map(mutation),
    ...['claimReward', 'acknowledgeRewards', 'revokeReward'].map(mutation),
    ...[
      'POST /v1/closings/{closing_id}/release-prizes',
      'POST /v1/games/{game_id}/release-prizes',
      'POST /v1/closings/{closing_id}/reissue-prizes',
    ],
    ...['POST /v1/client/rewards/{reward_id}/claim', 'POST /v1/rewards/acknowledge'],
    'POST /v1/rewards/{reward_id}/revoke',
  ],
  'no ranking of the matrix closes: rehearsals.test.ts finds the entry': [
    mutation('rehearseBoard'),
    'POST /v1/boards/{board_id}/rehearse',
  ],
  'no run of the matrix has a recording: verdicts.test.ts and verification-passes.test.ts find the entries': [
    ...['giveVerdict', 'undoVerdicts', 'reverifyRuns', 'applyPass'].map(mutation),
    ...['POST /v1/score-events/{event_id}/verdicts', 'POST /v1/boards/{board_id}/undo-verdicts'],
    ...['POST /v1/boards/{board_id}/reverify', 'POST /v1/verification-passes/{pass_id}/apply'],
  ],
  'it asks a provider and keeps nothing': [
    mutation('testPlayerProvider'),
    'POST /v1/player-providers/{player_provider_id}/test',
  ],
  'the matrix asks for a dry run: merges.test.ts finds the entry': [
    mutation('mergePlayers'),
    'POST /v1/player-merges',
  ],
  'only its author may: comments.test.ts finds the entry': [mutation('deleteComment')],
  'the matrix has no valid code and no session: registration, console-sign-in and console-sessions find their entries':
    [
      ...['completeRegistration', 'signIn', 'endConsoleSession', 'signInWithPasskey'].map(mutation),
      ...['addPasskey', 'updatePasskey', 'removePasskey'].map(mutation),
      ...['startProviderSignIn', 'startProviderLink', 'redeemProviderCode', 'signInWithProvider'].map(
        mutation,
      ),
      ...['addProviderLink', 'removeProviderLink', 'createIdentityProvider'].map(mutation),
      'POST /v1/identity-providers',
      ...['POST /register/complete', 'POST /register/sign-in'],
    ],
};

function mutation(name: string): string {
  return `Mutation.${name}`;
}

const PROVEN = `
  insert into player_providers (id, account_id, game_id, kind, slug, allow_borrowed, created_at, updated_at)
    select gen_random_uuid(), g.account_id, g.id, 'signed', 'none', false, now(), now() from games g on conflict do nothing;
  insert into player_proofs (provider_id, subject, account_id, game_id, identity_id, proven_at, last_proven_at)
    select v.id, i.id::text, v.account_id, v.game_id, i.id, now(), now() from player_providers v join identities i on i.game_id = v.game_id
    where v.slug = 'none' on conflict do nothing`;

/** What a request needs to change anything, by its door. */
const BEFORE: Record<string, string> = {
  'Mutation.finishScoreImport': `update score_imports set status = 'open', has_rows = true`,
  'POST /v1/imports/{import_id}/finish': `update score_imports set status = 'open', has_rows = true`,
  'Mutation.undoIdentityReview': `update identity_reviews set status = 'applied'`,
  'PATCH /v1/identity-reviews/{review_id}': `update identity_reviews set status = 'applied'`,
  'Mutation.undoPlayerMerge': `update player_merges set status = 'applied'`,
  'PATCH /v1/player-merges/{merge_id}': `update player_merges set status = 'applied'`,
  'Mutation.undoPass': `update verification_passes set status = 'open'`,
  'POST /v1/verification-passes/{pass_id}/undo': `update verification_passes set status = 'open'`,
  'Mutation.updateAlert': `update alerts set status = 'open'`,
  'PATCH /v1/alerts/{alert_id}': `update alerts set status = 'open'`,
  'Mutation.unlinkDevice': 'update devices set linked_identity_id = gen_random_uuid()',
  'POST /v1/devices/{device_id}/unlink': 'update devices set linked_identity_id = gen_random_uuid()',
  'Mutation.removePlayerProof': PROVEN,
  'POST /v1/identities/{identity_id}/proofs/remove': PROVEN,
  'Mutation.deleteGamePicture': `update games set logo = repeat('0', 64) || '.png'`,
};

const isWriting = ({ door }: Row) => /^(Mutation\.|POST|PATCH|PUT|DELETE)|\/export$/.test(door);

/** The tables that the first allowed request at a door wrote that wrote anything. */
async function writesOf(rows: Row[]): Promise<string[]> {
  for (const row of rows) {
    if (row.chief) continue;
    for (const cell of cellsOf(row, matrix.cast, false).filter(({ expected }) => expected === 'ok')) {
      await matrix.app.database.knex.raw(BEFORE[row.door] ?? 'select 1');
      await matrix.journal.news();
      await matrix.asking.ask(row, cell);
      const written = await matrix.journal.news();
      if (changesWhatIsThere(row)) await setBack(matrix.app, matrix.cast, cell.target);
      if (written.length > 0) return written;
    }
  }
  return [];
}

test('every write is in the audit trail, unless there is a reason', async () => {
  const reasoned = new Set(Object.values(NO_ENTRY).flat());
  const doors = new Map<string, Row[]>();
  for (const row of ROWS.filter(isWriting)) doors.set(row.door, [...(doors.get(row.door) ?? []), row]);
  const unknown = [...reasoned].filter((door) => !doors.has(door));
  const without: string[] = [];
  for (const [door, rows] of doors) {
    const written = await writesOf(rows);
    if (written.includes('INSERT audit_entries') === reasoned.has(door)) {
      without.push(`${door}: ${written.join(', ') || 'nothing written'}`);
    }
  }
  expect({ unknown, without }).toEqual({ unknown: [], without: [] });
});

/** Columns with what opens, signs or proves something, by their names. */
const SECRET_COLUMNS = `
  select c.table_name, c.column_name, c.data_type from information_schema.columns c
  join information_schema.tables t using (table_schema, table_name)
  where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'bytea')
    and c.column_name ~ '(hash|secret|token|sealed|fingerprint|challenge|nonce|public_key)'`;
/** Shorter texts are found by chance. */
const SHORTEST_SECRET = 12;

/** Everything stored of that kind, in each spelling in which it could be shown. */
async function storedSecrets(): Promise<string[]> {
  const { knex } = matrix.app.database;
  const { rows: columns } = await knex.raw<{ rows: Record<string, string>[] }>(SECRET_COLUMNS);
  const found: string[] = await knex('identities').where('kind', 'device').pluck('external_key');
  for (const { table_name, column_name, data_type } of columns) {
    const values: (string | Buffer)[] = await knex(table_name!)
      .whereNotNull(column_name!)
      .pluck(column_name!);
    for (const value of values) {
      if (data_type === 'text') found.push(value.toString());
      else
        for (const as of ['hex', 'base64', 'base64url'] as const) found.push((value as Buffer).toString(as));
    }
  }
  return found.filter(({ length }) => length >= SHORTEST_SECRET);
}

test('what opens, signs or proves something is in no answer; devices’ texts for moderators alone', async () => {
  const { app, cast, asking } = matrix;
  const { knex } = app.database;
  const { account_id, game_id, board_id } = cast.aurora.live as Record<string, string>;
  // Each device's text is its own, and its player's key.
  await knex.raw(`update devices set client_fingerprint = 'planted-text-' || id`);
  await knex.raw(`update identities i set external_key = d.client_fingerprint from devices d
    where d.identity_id = i.id and i.kind = 'device' and d.id = (select max(x.id::text)::uuid from devices x where x.identity_id = i.id)`);
  const user = await makeUser(app.superadmin, account_id!, { displayName: 'aurora-private reader' });
  const reader = async (scopes: string[]) => {
    const { key } = await makeKey(app.superadmin, account_id!, user.id, { scopes });
    return app.anyone.with({ 'service-api-key': key });
  };
  const [viewer, moderator] = [await reader(['READ']), await reader(['READ', 'MODERATE'])];
  await cast.aurora.owner.got(
    cast.aurora.owner.post('/register/invite', { email: 'aurora-private.9@example.com' }),
  );
  const opening = [cast.aurora.player, cast.borealis.player].flatMap(({ session }) => [
    session.accessToken as string,
    session.refreshToken as string,
  ]);
  const keys = [cast.aurora.owner, app.superadmin].map(({ headers }) => headers['service-api-key']!);
  const secrets = [...opening, ...keys, SETTINGS.keySecret, SETTINGS.jwtSecret, ...(await storedSecrets())];

  const reading = ROWS.filter(({ door }) => /^(GET |Query\.|Subscription\.)/.test(door));
  const exports = [`games/${game_id}`, `boards/${board_id}`].flatMap((of) =>
    EXPORTED.map((what) => `/v1/${of}/export?what=${what}&format=ndjson`),
  );
  const answersFor = async (caller: Caller, doors = /./): Promise<[door: string, text: string][]> => {
    const answers: [string, string][] = [];
    for (const row of reading.filter(({ door }) => doors.test(door))) {
      const cells = cellsOf(row, cast, false);
      const cell = cells.find(({ actor, expected }) => actor.name === 'admin' && expected === 'ok');
      if (!cell) continue;
      const { text } = await asking.ask(row, { ...cell, actor: { name: 'admin', caller } });
      answers.push([nameOf(row), text]);
    }
    for (const path of exports) answers.push([path, (await caller.get(path)).body]);
    const searched = '{ a: __typename search(accountId: "ACCOUNT", text: "planted-text") { __typename id } }';
    answers.push(['search', JSON.stringify(await caller.graphql(searched.replace('ACCOUNT', account_id!)))]);
    return answers;
  };
  const shownIn = (answers: [string, string][]) =>
    answers.flatMap(([door, text]) =>
      secrets.filter((secret) => text.includes(secret)).map((secret) => `${door}: ${secret}`),
    );
  expect(shownIn(await answersFor(viewer))).toEqual([]);
  const moderated = shownIn(await answersFor(moderator, /device|identit/i));
  expect(moderated.filter((found) => !found.includes('planted-text-'))).toEqual([]);
  const shown = new Set(moderated.map((found) => found.split(': ')[0]));
  for (const door of [
    'Query.device',
    'Query.identity',
    'GET /v1/devices',
    'GET /v1/identities',
    ...exports.slice(0, 3),
  ]) {
    expect([door, shown.has(door)]).toEqual([door, true]);
  }
  // What is sent on without being asked for has none at all.
  const sent = await knex.raw<{ rows: { text: string }[] }>(
    'select data::text as text from webhook_events union all select before::text || after::text from audit_entries',
  );
  const texts = sent.rows.map(({ text }) => text ?? '').join('\n');
  expect(secrets.filter((secret) => texts.includes(secret))).toEqual([]);
});

/** What no entry may hold: the secrets of the studio, and whatever looks like one. */
test('the trail has no secrets', async () => {
  const { knex } = matrix.app.database;
  const { rows } = await knex.raw<{ rows: { text: string }[] }>(
    `select coalesce(before::text, '') || coalesce(after::text, '') || coalesce(reason, '') as text from audit_entries`,
  );
  const codes: string[] = await knex('jam_codes').pluck('code');
  const hashes: Buffer[] = await knex('api_keys').pluck('hash');
  const secrets = [...codes, ...hashes.map((hash) => hash.toString('hex'))];
  const all = rows.map(({ text }) => text).join('\n');
  expect(rows.length).toBeGreaterThan(50);
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  expect(all).not.toMatch(/"(hash|key|code|token|prefix|password)":|svc_[A-Za-z0-9]{10}/);
  const people = knex('audit_entries').whereIn('author', ['user', 'superadmin']);
  expect(await people.clone().whereNull('ip_address').pluck('action')).toEqual([]);
  expect(await people.where('ip_address', '81.2.69.142').pluck('action')).toContain('record_changed');
});
