import type { GraphQLSchema } from 'graphql';
import type * as Access from '../../src/graphql/access.js';
import type { AdminCaller, ClientCaller } from '../../src/graphql/context.js';
import type * as Players from '../../src/players/read.js';
import type * as Visibility from '../../src/scores/visibility.js';
import { WHOLE, type Whole } from '../support/roles/callers.js';
import { Matrix, nameOf, ROWS } from '../support/roles/matrix.js';
import { setBack } from '../support/roles/removals.js';
import type { Row } from '../support/roles/rows.js';
import { refusedTo, UNSEEN } from '../support/roles/unseen-table.js';

/** A check of access that is taken out while others stand: found by where it is called from. */
interface Removals {
  /** The check that is out: `requireAccount players/read.ts:39 loadDevice`. */
  removed: string | undefined;
  /** Where each check that refused, or held back something, did so: names of what was going on. */
  readonly refusedAt: Map<string, Set<string>>;
  /** The part of the matrix that runs while refusing checks are noted. */
  during: string | undefined;
}

const removals: Removals = { removed: undefined, refusedAt: new Map(), during: undefined };

/** Modules of checks: their caller is the place of a check. */
const CHECKS = /\/src\/(graphql\/access|scores\/visibility)\.ts$/;

/**
 * Stands before a check.
 * @param refuses whether the check does not let everything pass
 * @param without what comes of the call when there is no check
 */
function checked<T>(name: string, refuses: () => boolean, check: () => T, without: () => T): T {
  const { removed, refusedAt, during } = removals;
  if (removed === undefined && during === undefined) return check();
  const place = `${name} ${calledFrom()}`;
  if (place === removed) return without();
  if (during !== undefined && refuses()) {
    refusedAt.set(place, (refusedAt.get(place) ?? new Set()).add(during));
  }
  return check();
}

function calledFrom(): string {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 12;
  Error.prepareStackTrace = (_error, sites) => sites;
  const sites = new Error().stack as unknown as NodeJS.CallSite[];
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  const inSource = sites.filter((site) => site.getFileName()?.includes('/src/'));
  const site = inSource.find((one) => !CHECKS.test(one.getFileName()!)) ?? inSource[0]!;
  const file = site.getFileName()!.replace(/.*\/src\//, '');
  return `${file}:${site.getLineNumber()} ${site.getFunctionName() ?? ''}`;
}

function throws(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch {
    return true;
  }
}

// Removes checks of access one place at a time and expects the matrix to notice: the checks that several places call from
// another module, wherever they refuse something in the matrix. Checks of single places: own-checks.ts.

/** A check that says yes or no. */
function letting<A extends unknown[]>(name: string, check: (...args: A) => boolean) {
  return (...args: A) =>
    checked(
      name,
      () => !check(...args),
      () => check(...args),
      () => true,
    );
}

jest.mock('../../src/graphql/access.js', () => {
  const real = jest.requireActual<typeof Access>('../../src/graphql/access.js');
  const refusing =
    <A extends unknown[], T>(name: string, check: (...args: A) => T, without: (...args: A) => T) =>
    (...args: A) =>
      checked(
        name,
        () => throws(() => check(...args)),
        () => check(...args),
        () => without(...args),
      );
  const accountScope: typeof Access.accountScope = (access, named) =>
    checked(
      'accountScope',
      () =>
        throws(() => real.accountScope(access, named)) ||
        real.accountScope(access, named) !== (named ?? undefined),
      () => real.accountScope(access, named),
      () => named ?? undefined,
    );
  return {
    ...real,
    adminOf: refusing('adminOf', real.adminOf, ({ caller }) => caller as AdminCaller),
    clientOf: refusing('clientOf', real.clientOf, ({ caller }) => caller as ClientCaller),
    requireAccount: refusing('requireAccount', real.requireAccount, () => undefined),
    requireGame: refusing('requireGame', real.requireGame, () => undefined),
    requireSuperadmin: refusing('requireSuperadmin', real.requireSuperadmin, () => undefined),
    checkAccess: ((roles, ...args) =>
      checked(
        // Each door has its own list of roles.
        `checkAccess${doors.get(roles) ?? ''}`,
        () => throws(() => real.checkAccess(roles, ...args)),
        () => real.checkAccess(roles, ...args),
        () => undefined,
      )) as typeof real.checkAccess,
    accountScope,
    gameScope: ((access) =>
      checked(
        'gameScope',
        () => real.gameScope(access) !== undefined,
        () => real.gameScope(access),
        () => undefined,
      )) as typeof real.gameScope,
    administers: letting('administers', real.administers),
  };
});

jest.mock('../../src/scores/visibility.js', () => {
  const real = jest.requireActual<typeof Visibility>('../../src/scores/visibility.js');
  const always = () => true;
  return {
    ...real,
    isInside: letting('isInside', real.isInside),
    scoreFor: ((asking, score) =>
      checked(
        'scoreFor',
        always,
        () => real.scoreFor(asking, score),
        () => score,
      )) as typeof real.scoreFor,
    withoutOrigin: ((score) =>
      checked(
        'withoutOrigin',
        always,
        () => real.withoutOrigin(score),
        () => score,
      )) as typeof real.withoutOrigin,
    eventFor: ((asking, event) =>
      checked(
        'eventFor',
        () => asking.caller.kind !== 'admin',
        () => real.eventFor(asking, event),
        () => event,
      )) as typeof real.eventFor,
  };
});

jest.mock('../../src/players/read.js', () => {
  const real = jest.requireActual<typeof Players>('../../src/players/read.js');
  const identityFor: typeof real.identityFor = (asking, identity) =>
    checked(
      'identityFor',
      () => asking.caller.kind !== 'admin',
      () => real.identityFor(asking, identity),
      () => identity,
    );
  return { ...real, identityFor };
});

/** Checks that no row notices, by place without its line: the test that does, or why there is nothing to notice. */
const ELSEWHERE = new Map([
  ['checkAccess of Mutation.restore graphql/schema.ts ', 'each kind of record asks for its own right'],
  ['administers graphql/live/allowance.ts isForeign', 'a share of memory, no access: seen-from-outside'],
  ['administers scores/standings/ranking-resolver.ts ranking', 'client-boards'],
  ['isInside scores/standings/ranking-resolver.ts ranking', 'client-boards'],
  ['gameScope boards/board/read.ts isMember', 'board-life'],
  ['accountScope fairplay/flags/queue.ts listQueue', "no account named: that of the caller's own either way"],
]);

let matrix: Matrix;
/** The root field by its list of roles: each field has a list of its own. */
let doors = new Map<unknown, string>();

function doorsOf(schema: GraphQLSchema): typeof doors {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return new Map(
    roots.flatMap((root) =>
      Object.values(root!.getFields()).map(({ name, extensions }) => [
        extensions.allow,
        ` of ${root!.name}.${name}`,
      ]),
    ),
  );
}

async function openMatrix(): Promise<void> {
  matrix = await Matrix.open();
  doors = doorsOf(matrix.app.app.schema);
}

/** Opens the matrix with a new cast: what a removed check lets through can be there for good. */
async function renew(): Promise<void> {
  await matrix.close();
  await openMatrix();
}

beforeAll(openMatrix, 60_000);
afterAll(() => matrix.close());

/** A part of the matrix: a row, or a field that is asked for by itself. @returns the faults there */
type Part = [name: string, faults: () => Promise<string[]>, row?: Row];

function parts(): Part[] {
  const alone = WHOLE.flatMap((caller) =>
    refusedTo(caller).map((field): Part => [`${field} for ${caller}`, () => faultsAlone(caller, field)]),
  );
  // Single fields first: they distinguish fields.
  return [...alone, ...ROWS.map((row): Part => [nameOf(row), () => matrix.play(row), row])];
}

async function faultsAlone(caller: Whole, field: string): Promise<string[]> {
  const fared = await matrix.faredAlone(caller, field);
  return fared === UNSEEN[caller][field] ? [] : [`${caller} and ${field}: ${fared}`];
}

test('the matrix notices each of these checks when it is taken out', async () => {
  const all = parts();
  for (const [name, faults] of all) {
    removals.during = name;
    expect([name, await faults()]).toEqual([name, []]);
  }
  removals.during = undefined;
  const unnoticed: string[] = [];
  for (const [place, names] of [...removals.refusedAt].toSorted()) {
    let noticed = false;
    for (const [name, faults, row] of all) {
      if (noticed || !names.has(name)) continue;
      const faultsWithout = async () => {
        removals.removed = place;
        const found = await faults().catch((error: unknown) => [String(error)]);
        removals.removed = undefined;
        return found;
      };
      if (!row?.erases) {
        if ((await faultsWithout()).length === 0) continue;
        for (const target of ['live', 'deleted', 'buried', 'suspended'] as const) {
          await setBack(matrix.app, matrix.cast, target);
        }
        noticed = (await faults()).length === 0;
        if (noticed) continue;
      }
      // Earlier removals left records that this part may see, or this one leaves such: a new cast decides.
      await renew();
      noticed = (await faultsWithout()).length > 0;
      await renew();
    }
    if (!noticed && !ELSEWHERE.has(place.replace(/:\d+/, ''))) unnoticed.push(place);
  }
  process.stderr.write(`${removals.refusedAt.size} checks taken out, ${unnoticed.length} not noticed\n`);
  expect(unnoticed).toEqual([]);
}, 1_800_000);
