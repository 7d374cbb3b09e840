import type { Fault } from '../../api/fault.js';
import type { FlagConfidence, FlagStatus, FlagType, TrustTier } from '../../generated/graphql.js';
import type { FlagFields, PlayerFields } from './operations.js';

export type Verdict = Exclude<FlagStatus, 'PENDING'>;

export interface Flag extends FlagFields {
  /** The colleague who has decided it since, and when. */
  colleague?: { name: string; at: number } | undefined;
}

/** A player with the flags that are reviewed together, the most urgent first. */
export interface Row {
  id: string;
  name: string;
  slug: string | undefined;
  flags: Flag[];
  /** All that wait, which can be more than are read. */
  pending: number;
}

export interface Filter {
  accountId: string;
  gameId: string | undefined;
  boardId: string | undefined;
  flagType: FlagType | undefined;
  confidence: FlagConfidence | undefined;
  trustTier: TrustTier | undefined;
}

export interface QueueView {
  rows: Row[];
  /** New flags that are not yet in the list. */
  fresh: Flag[];
  at: number;
  /** The flag that is looked at, of the open player's. */
  flag: number;
  /** Flags of the open player that the next decision leaves out. */
  leftOut: ReadonlySet<string>;
  /** Players who are decided together. */
  picked: ReadonlySet<string>;
  loading: boolean;
  hasMore: boolean;
  fault: Fault | undefined;
  /** Written to the trail with the next decision. */
  reason: string;
}

export const NONE: ReadonlySet<string> = new Set();
export const NOTHING: QueueView = {
  rows: [],
  fresh: [],
  at: 0,
  flag: 0,
  leftOut: NONE,
  picked: NONE,
  loading: true,
  hasMore: false,
  fault: undefined,
  reason: '',
};

/** The set with the member, or without it. */
export function toggled(set: ReadonlySet<string>, member: string): Set<string> {
  const changed = new Set(set);
  if (!changed.delete(member)) changed.add(member);
  return changed;
}

export const isPending = ({ status }: Flag) => status === 'PENDING';
export const waits = ({ flags }: Row) => flags.some(isPending);

function rowOf(flag: Flag): Row {
  const { identityId: id, identity, game } = flag;
  return { id, name: identity?.displayName ?? '', slug: game?.slug, flags: [flag], pending: 1 };
}

/** The players of a page of the queue. */
export function rowsOf(nodes: readonly PlayerFields[]): Row[] {
  return nodes.map(({ identityId: id, identity, game, flags, pendingFlags: pending }) => {
    return { id, name: identity?.displayName ?? '', slug: game?.slug, flags, pending };
  });
}

/** The rows with these flags at their players, and these on top. */
export function withFlags(rows: readonly Row[], flags: readonly Flag[]): Row[] {
  let changed = [...rows];
  for (const flag of flags.toReversed()) {
    const known = changed.find(({ id }) => id === flag.identityId);
    const row = known ? { ...known, flags: [flag, ...known.flags], pending: known.pending + 1 } : rowOf(flag);
    changed = [row, ...changed.filter((other) => other !== known)];
  }
  return changed;
}

/** The rows with these flags in place of those with the same ids. */
export function replaced(rows: readonly Row[], flags: readonly Flag[]): Row[] {
  const changed = new Map(flags.map((flag) => [flag.id, flag]));
  return rows.map((row) =>
    row.flags.some(({ id }) => changed.has(id))
      ? { ...row, flags: row.flags.map((flag) => changed.get(flag.id) ?? flag) }
      : row,
  );
}

/** True if a filter has a place for the flag. */
export function fits({ boardId, flagType, confidence, trustTier }: Filter, flag: Flag): boolean {
  if ((boardId && flag.boardId !== boardId) || (flagType && flag.flagType !== flagType)) return false;
  if (confidence && flag.confidence !== confidence) return false;
  return !trustTier || flag.identity?.trustTier === trustTier;
}
