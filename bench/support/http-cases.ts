/** A kind of request, sent again and again. */
export interface Case {
  name: string;
  /** The set of boards. */
  boards: 'hot' | 'many';
  /** True if it writes, so that no two of its requests are the same. */
  writes: boolean;
  /**
   * True if nearly all responses come from pages in the service's memory, because nothing is written at the same
   * time.
   */
  remembered?: true;
  /** Submissions in one request, each counted as one. Absent: 1. Skipped if the service has no such route. */
  batch?: number;
}

export const CASES: readonly Case[] = [
  { name: 'submission, improving', boards: 'hot', writes: true },
  { name: 'submission, not improving', boards: 'hot', writes: true },
  { name: 'submission, first-time', boards: 'hot', writes: true },
  { name: 'submission, with key', boards: 'hot', writes: true },
  { name: 'submissions, 100 a request', boards: 'hot', writes: true, batch: 100 },
  { name: 'own rank', boards: 'hot', writes: false },
  { name: 'around me, 11', boards: 'hot', writes: false },
  { name: 'top 50', boards: 'hot', writes: false, remembered: true },
  { name: '50 from rank 500,000', boards: 'hot', writes: false, remembered: true },
  { name: 'mixed, 80 % reads', boards: 'hot', writes: true },
  { name: 'submission, improving', boards: 'many', writes: true },
  { name: 'submission, not improving', boards: 'many', writes: true },
  { name: 'submission, first-time', boards: 'many', writes: true },
];

/** Only their cost is measured, because their responses have no ranks. */
export const COST_CASES: readonly Case[] = [
  ...CASES.filter(({ boards }) => boards === 'hot'),
  { name: 'session, new device', boards: 'hot', writes: true },
];

/** Of the hot board; for warming up and for references. */
export const IMPROVING = CASES[0]!;

/** Of 200 submissions one takes the lead. */
export const NEW_LEADERS: Case = { name: 'submission, new leaders', boards: 'hot', writes: true };

/** Reads of the mixed case: half of them for the own rank. */
const READS = [
  ...['own rank', 'around me, 11', 'own rank', 'top 50'],
  ...['own rank', 'around me, 11', 'own rank', '50 from rank 500,000'],
];

/** Fifty requests: 40 read, 9 submit a run that is not better than the player's best, one submits a better one. */
const MIX = Array.from({ length: 50 }, (_, k) => {
  if (k === 2) return 'submission, improving';
  return k % 5 === 2 ? 'submission, not improving' : READS[(k - Math.floor(k / 5)) % READS.length]!;
});

/** The kind of request with this number. */
export function kindOf({ name }: Case, k: number): string {
  if (name === NEW_LEADERS.name) return k % 200 === 0 ? 'submission, leading' : IMPROVING.name;
  return name === 'mixed, 80 % reads' ? MIX[k % MIX.length]! : name;
}
