import { isObjectType } from 'graphql';
import { uuidOf } from '../../src/base/ids.js';
import { grantsOf, type Right, rightsIn } from '../../src/graphql/rights.js';
import { type Caller, type Data, send } from '../support/http.js';
import { makeKey, makeUser } from '../support/make.js';
import type { Actor } from '../support/roles/callers.js';
import { changesWhatIsThere } from '../support/roles/cells.js';
import { Matrix, nameOf, ROWS, requestsOf } from '../support/roles/matrix.js';
import { setBack } from '../support/roles/removals.js';
import { namesIn, type Row } from '../support/roles/rows.js';
import { until } from '../support/wait.js';

// The role matrix by role, scope and game: what the studio's administrator may do, its team may do as far as their rights go, at
// every route, root field, subscription and export.

/** Somebody of the studio, with one key. */
interface Member extends Actor {
  rights: Right[];
  /** Absent: all games. `home`: the game of the matrix's records, `other`: another one. */
  game?: 'home' | 'other';
}

const TEAM = 'aurora-private key of the team';

let matrix: Matrix;
let team: Member[];
/** The rights of which a door needs one; none: it is for others than administrators. */
let needed: Map<string, Right[]>;

beforeAll(async () => {
  // Records alone: what is below them has a test of its own.
  matrix = await Matrix.open(requestsOf, 1);
  team = await makeTeam(matrix);
  // The first use of a key is noted.
  await Promise.all(team.map(({ caller }) => caller.data('{ me { kind } }')));
  const { knex } = matrix.app.database;
  await until(async () => !(await knex('api_keys').where('name', TEAM).whereNull('last_used_at').first()));
  needed = new Map([...neededByFields(), ...(await neededByRoutes())]);
}, 120_000);
afterAll(() => matrix.close());

const ROLES: Record<string, Right[]> = {
  VIEWER: ['own', 'read'],
  MODERATOR: ['own', 'read', 'moderate'],
  DEVELOPER: ['own', 'read', 'moderate', 'verify', 'configure', 'submit', 'players', 'test'],
};
const ALL: Right[] = [
  'own',
  'read',
  'submit',
  'players',
  'test',
  'moderate',
  'verify',
  'configure',
  'people',
  'privacy',
];
const SCOPES: Record<string, Right[]> = {
  READ: ['read'],
  SUBMIT: ['submit'],
  PLAYERS: ['players'],
  TEST: ['test'],
  MODERATE: ['moderate'],
  VERIFY: ['verify'],
  CONFIGURE: ['configure'],
  PEOPLE: ['people', 'privacy'],
};

async function makeTeam({ app, cast }: Matrix): Promise<Member[]> {
  const { account_id: accountId, game_id: home, sibling_identity_id: sibling } = cast.aurora.live as Data;
  const { identity } = await cast.aurora.owner.data('query ($id: ID!) { identity(id: $id) { gameId } }', {
    id: sibling,
  });
  const { gameId: other } = identity;
  const keyOf = async (user: Data, more: Data = {}): Promise<Caller> => {
    const { key } = await makeKey(app.superadmin, accountId, user.id, { name: TEAM, ...more });
    return app.anyone.with({ 'service-api-key': key });
  };
  const member = (name: string, rights: Right[], caller: Caller, game?: Member['game']): Member => ({
    ...{ name, rights, caller },
    ...(game && { game }),
  });
  // One about the account as a whole: the newest is of the same moment as others.
  const entry = await app.database
    .knex('audit_entries')
    .where('account_id', uuidOf(accountId))
    .whereNull('game_id')
    .first('id');
  cast.aurora.live.audit_entry_id = `aud_${entry.id}`;
  const made: Member[] = [];
  for (const [role, rights] of Object.entries(ROLES)) {
    const user = await makeUser(app.superadmin, accountId, { role, displayName: 'aurora-private team' });
    made.push(member(role, rights, await keyOf(user)));
    if (role !== 'DEVELOPER') continue;
    const more = await keyOf(user, { scopes: ['READ', 'PEOPLE'] });
    made.push(member('more than its role', ['own', 'read'], more));
  }
  const admin = await makeUser(app.superadmin, accountId, { displayName: 'aurora-private team' });
  for (const [scope, rights] of Object.entries(SCOPES)) {
    made.push(member(`scope ${scope}`, ['own', ...rights], await keyOf(admin, { scopes: [scope] })));
  }
  made.push(member('key of the game', ALL, await keyOf(admin, { gameId: home }), 'home'));
  made.push(member('key of another game', ALL, await keyOf(admin, { gameId: other }), 'other'));
  const limited = await makeUser(app.superadmin, accountId, {
    gameIds: [other],
    displayName: 'aurora-private team',
  });
  made.push(member('admin of another game', ALL, await keyOf(limited), 'other'));
  return made;
}

function neededByFields(): [string, Right[]][] {
  const { schema } = matrix.app.app;
  return ['Query', 'Mutation', 'Subscription']
    .map((name) => schema.getType(name))
    .filter(isObjectType)
    .flatMap((root) =>
      Object.values(root.getFields()).map(({ name, extensions }): [string, Right[]] => [
        `${root.name}.${name}`,
        rightsIn(grantsOf(extensions)!),
      ]),
    );
}

/** As the published reference says it. */
async function neededByRoutes(): Promise<[string, Right[]][]> {
  const { body } = await send(`${matrix.app.url}/openapi.json`);
  return Object.entries(body.paths as Data).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Data>).map(([method, { description }]): [string, Right[]] => {
      const [, named = ''] = /administrators with the right (.*?)\./.exec(description) ?? [];
      return [
        `${method.toUpperCase()} ${path}`,
        [...named.matchAll(/`(\w+)`/g)].map(([, right]) => right as Right),
      ];
    }),
  );
}

/** Rows that need more than their doors: for the kind of what they name, or for a part of what they change. */
const MORE: [RegExp, Right][] = [
  [
    /\.(user|apiKey|(update|delete)(User|ApiKey)|createApiKey)\b|\/(users|api-keys)\/|POST .*api-keys/,
    'people',
  ],
  [/, (User|ApiKey|AuditEntry)$|restore, Account$|\.auditEntry\b|audit-entries\/\{/, 'people'],
  [/, IdentityProvider$/, 'people'],
  [/, JamCode/, 'own'],
  [/, Webhook(Endpoint|Delivery)$/, 'configure'],
  [/^Mutation\.restore, (Game|Board|BoardTemplate)$/, 'configure'],
  [/^Mutation\.restore, PlayerProvider$/, 'players'],
  [/^Mutation\.restore|identities\/\{identity_id\}, (delete|restore)$/, 'moderate'],
  [/^Query\.nodes?, Account$/, 'own'],
  [/^Query\.nodes?, /, 'read'],
];

/** True if the member has the right that the door names. */
function mayCall({ rights }: Member, { door }: Row): boolean {
  return needed.get(door)!.some((right) => rights.includes(right));
}

const mayRead = ({ rights }: Member) => rights.includes('read') || rights.includes('test');

/** True if the member gets what an administrator of the studio gets, as far as its games go. */
function mayUse(member: Member, row: Row): boolean {
  const more = MORE.find(([pattern]) => pattern.test(nameOf(row)))?.[1];
  const isBoard = /^Query\.nodes?, Board$/.test(nameOf(row)) && mayRead(member);
  const isVerified = /^Query\.nodes?, ScoreEvent$/.test(nameOf(row)) && member.rights.includes('verify');
  return (
    mayCall(member, row) && (more === undefined || isBoard || isVerified || member.rights.includes(more))
  );
}

/** What a member who is limited to a game gets of the studio's records; undefined: what the rights say. */
function limitedOf({ game }: Member, row: Row): string | undefined {
  if (!game) return undefined;
  const named = namesIn(row).filter((name) => !/^(account_|jam_code|redemption|view$|ranked)/.test(name));
  // Of the account as a whole, or of a user who reaches all games.
  if (named.some((name) => /^(user|key|audit_entry|webhook\w*|endpoint|delivery|provider)_id$/.test(name)))
    return 'FORBIDDEN';
  if (/^POST .*\/games$|createGame/.test(row.door)) return 'FORBIDDEN';
  // Plans have the games that the caller reaches; a new game or webhook is refused in them.
  if (/\/configuration\/|applyConfiguration/.test(row.door)) return undefined;
  if (named.length === 0)
    return /^(GET|Query|Subscription)/.test(row.door) && !/accounts.*export/.test(row.door)
      ? undefined
      : 'FORBIDDEN';
  if (game === 'home') return undefined;
  return named.every((name) => /slug|code/.test(name)) ? 'NOT_FOUND' : 'FORBIDDEN';
}

/** What keys of the test population alone get of production, and of lists below a board. */
const TESTS_ALONE: [RegExp, string][] = [
  // The players of the rows have no place in tests.
  [/boards\/.*\/(history|standing)$|around a score/, 'NOT_FOUND'],
  [/\{(score|event)_id\}$|Query\.score(Event)?$|views\/\{view\}\/(periods|groups)/, 'FORBIDDEN'],
];

/** Lists of the audit log show less, with whatever filter. */
const FILTERED = /audit.?entries.*, of a/i;

function expectedOf(member: Member, row: Row): string {
  const { admin } = row.policy.cells.get('live')!;
  // Visitors and readers of public boards see no difference.
  if (row.door === 'Subscription.boardChanged' && row.label === 'hidden') {
    if (!mayRead(member)) return 'NOT_FOUND';
    return limitedOf(member, row) ?? admin;
  }
  if (/^Subscription\..*, (of|in) tests$/.test(nameOf(row))) {
    return mayRead(member) ? (limitedOf(member, row) ?? admin) : 'FORBIDDEN';
  }
  // It is null below the account, which everyone of it sees.
  if (/accounts\/.*\/history$/.test(row.door) && (member.game || !member.rights.includes('read'))) {
    return 'NOT_FOUND';
  }
  if (needed.get(row.door)!.length === 0) return admin;
  if (/restore, IdentityProvider$/.test(nameOf(row))) return mayCall(member, row) ? admin : 'FORBIDDEN';
  if (!mayUse(member, row)) return 'FORBIDDEN';
  const { rights } = member;
  const ofTests =
    !rights.includes('read') &&
    TESTS_ALONE.find(([pattern]) => pattern.test(nameOf(row)) || pattern.test(row.door));
  if (ofTests && rights.includes('test')) return ofTests[1];
  // For whole keys alone.
  if (
    /(update|remove)Passkey$|removeProviderLink$/.test(row.door) &&
    (member.game === 'home' || /scope|key|more/.test(member.name))
  ) {
    return 'FORBIDDEN';
  }
  if (admin === 'NOT_FOUND') return admin;
  if (FILTERED.test(nameOf(row))) return admin;
  if (/, AuditEntry$/.test(nameOf(row)) && !member.rights.includes('read')) return 'FORBIDDEN';
  // It makes keys of at most its own scopes.
  if (member.name === 'scope PEOPLE' && GRANTING.test(nameOf(row))) return 'FORBIDDEN';
  return limitedOf(member, row) ?? admin;
}

const GRANTING = /POST .*api-keys|api-keys.*restore|createApiKey|restore, ApiKey/;

/** Rows of which administrators may use the door. */
const TEAM_ROWS = ROWS.filter(
  ({ policy, chief }) =>
    policy.cells.has('live') && !chief && !/KEY|TOKEN/.test(policy.cells.get('live')!.admin),
);

test.each(TEAM_ROWS.map((row) => [nameOf(row), row] as const))('%s', async (_name, row) => {
  const faults: string[] = [];
  const members = team.map((member) => [member, expectedOf(member, row)] as const);
  const refused = members.filter(([, expected]) => expected === 'FORBIDDEN');
  await matrix.journal.news();
  for (const [actor, expected] of [...refused, ...members.filter((one) => !refused.includes(one))]) {
    // Refused for what the request names, not before its body is read.
    const asking = mayCall(actor, row) ? { ...actor, name: 'admin' } : actor;
    const { outcome, text } = await matrix.asking.ask(row, { actor: asking, target: 'live', expected });
    if (outcome !== expected)
      faults.push(`${actor.name}: ${outcome} instead of ${expected} ${text.slice(0, 200)}`);
    if (expected === 'FORBIDDEN') {
      const written = await matrix.journal.news();
      if (written.length > 0) faults.push(`${actor.name} wrote: ${written.join(', ')}`);
    } else if (changesWhatIsThere(row)) await setBack(matrix.app, matrix.cast, 'live');
  }
  expect(faults).toEqual([]);
});
