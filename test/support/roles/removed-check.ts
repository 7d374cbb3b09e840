/** A check of access that is taken out while others stand: found by where it is called from. */
export interface Removals {
  /** The check that is out: `requireAccount players/read.ts:39 loadDevice`. */
  removed: string | undefined;
  /** Where each check that refused, or held back something, did so: names of what was going on. */
  readonly refusedAt: Map<string, Set<string>>;
  /** The part of the matrix that runs while refusing checks are noted. */
  during: string | undefined;
}

export const removals: Removals = { removed: undefined, refusedAt: new Map(), during: undefined };

/** Modules of checks: their caller is the place of a check. */
const CHECKS = /\/src\/(graph\/access|scores\/visibility)\.ts$/;

/**
 * Stands before a check.
 * @param refuses whether the check does not let everything pass
 * @param without what comes of the call when there is no check
 */
export function checked<T>(name: string, refuses: () => boolean, check: () => T, without: () => T): T {
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

export function throws(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch {
    return true;
  }
}
