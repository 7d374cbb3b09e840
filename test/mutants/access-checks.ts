import type * as Access from '../../src/graph/access.js';
import type { AdminCaller, ClientCaller } from '../../src/graph/context.js';
import type * as Players from '../../src/players/read.js';
import type * as Visibility from '../../src/scores/visibility.js';
import { WHOLE, type Whole } from '../support/roles/callers.js';
import { Matrix, nameOf, ROWS } from '../support/roles/matrix.js';
import { setBack } from '../support/roles/removals.js';
import { checked, removals, throws } from '../support/roles/removed-check.js';
import { refusedTo, UNSEEN } from '../support/roles/unseen-table.js';

// Takes checks of access out one place at a time and looks whether the matrix notices: npm run test:mutants (five minutes).
// Only those that places share and call from another module, and only where they refuse something in the matrix: what a
// place checks by itself (who may make or change a superadmin, which game a client is of) is not among them.

jest.mock('../../src/graph/access.js', () => {
  const real = jest.requireActual<typeof Access>('../../src/graph/access.js');
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
    checkAccess: refusing('checkAccess', real.checkAccess, () => undefined),
    accountScope,
  };
});

jest.mock('../../src/scores/visibility.js', () => {
  const real = jest.requireActual<typeof Visibility>('../../src/scores/visibility.js');
  const letting =
    <A extends unknown[]>(name: string, check: (...args: A) => boolean) =>
    (...args: A) =>
      checked(
        name,
        () => !check(...args),
        () => check(...args),
        () => true,
      );
  const always = () => true;
  return {
    ...real,
    administers: letting('administers', real.administers),
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
    withoutOrigins: ((scores) =>
      checked(
        'withoutOrigins',
        always,
        () => real.withoutOrigins(scores),
        () => scores,
      )) as typeof real.withoutOrigins,
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

let matrix: Matrix;
beforeAll(async () => {
  matrix = await Matrix.open();
}, 60_000);
afterAll(() => matrix.close());

/** A part of the matrix: a row, or a field that is asked for by itself. @returns what is wrong there */
type Part = [name: string, faults: () => Promise<string[]>];

function parts(): Part[] {
  const alone = WHOLE.flatMap((caller) =>
    refusedTo(caller).map((field): Part => [`${field} for ${caller}`, () => faultsAlone(caller, field)]),
  );
  // Alone first: these tell fields apart.
  return [...alone, ...ROWS.map((row): Part => [nameOf(row), () => faultsOf(row)])];
}

async function faultsAlone(caller: Whole, field: string): Promise<string[]> {
  const fared = await matrix.faredAlone(caller, field);
  return fared === UNSEEN[caller][field] ? [] : [`${caller} and ${field}: ${fared}`];
}

async function faultsOf(row: (typeof ROWS)[number]): Promise<string[]> {
  matrix.forget();
  const faults = await matrix.play(row);
  for (const caller of WHOLE) {
    for (const [field, fared] of Object.entries(matrix.sightings.get(caller)!.all())) {
      if (UNSEEN[caller][field] === 'hidden' && fared !== 'hidden') faults.push(`${caller} sees ${field}`);
    }
  }
  return faults;
}

test('the matrix notices whichever of these checks is taken out', async () => {
  const all = parts();
  for (const [name, faults] of all) {
    removals.during = name;
    expect([name, await faults()]).toEqual([name, []]);
  }
  removals.during = undefined;
  const unnoticed: string[] = [];
  for (const [place, names] of [...removals.refusedAt].toSorted()) {
    removals.removed = place;
    let noticed: Part | undefined;
    for (const part of all) {
      const [name, faults] = part;
      if (names.has(name) && !noticed && (await faults().catch(String)).length > 0) noticed = part;
    }
    removals.removed = undefined;
    if (!noticed) unnoticed.push(place);
    for (const target of ['live', 'deleted', 'buried', 'suspended'] as const) {
      await setBack(matrix.app, matrix.cast, target);
    }
    // It was the check, not what an earlier removal left behind.
    if (noticed) expect([place, await noticed[1]()]).toEqual([place, []]);
  }
  process.stderr.write(`${removals.refusedAt.size} checks taken out, ${unnoticed.length} not noticed\n`);
  expect(unnoticed).toEqual([]);
}, 1_800_000);
