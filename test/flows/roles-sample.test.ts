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
    ...['POST /v1/score-events', 'POST /v1/score-events/batch'],
  ],
  'they read': ['POST /v1/scores/among', 'POST /v1/client/scores/among'],
  'sessions and tokens are records of their own': [
    ...['startDeviceSession', 'refreshDeviceSession', 'issueNonces'].map(mutation),
    ...['POST /v1/client/sessions', 'POST /v1/client/sessions/refresh'],
  ],
  'game servers and clients write them; by hand they have entries': [
    ...['createIdentity', 'setFriends', 'addFriends', 'removeFriends', 'setIdentityTags'].map(mutation),
    ...['POST /v1/identities', 'PATCH /v1/client/tags', 'PATCH /v1/identities/{identity_id}/tags'],
    ...['PATCH /v1/identities/{identity_id}/friends', 'POST /v1/identities/{identity_id}/friends'],
    'POST /v1/identities/{identity_id}/friends/remove',
  ],
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

/** What a request needs to change anything, by its door. */
const BEFORE: Record<string, string> = {
  'Mutation.finishScoreImport': `update score_imports set status = 'open', has_rows = true`,
  'POST /v1/imports/{import_id}/finish': `update score_imports set status = 'open', has_rows = true`,
  'Mutation.undoIdentityReview': `update identity_reviews set status = 'applied'`,
  'PATCH /v1/identity-reviews/{review_id}': `update identity_reviews set status = 'applied'`,
  'Mutation.updateAlert': `update alerts set status = 'open'`,
  'PATCH /v1/alerts/{alert_id}': `update alerts set status = 'open'`,
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
