import type { Change } from '../../db/changes.js';
import { type RankingKey, rankingId } from '../facts/rankings.js';
import type { BoardPart } from './batch.js';

/**
 * The number that identifies a ranking of a view in changes of its board (FNV-1a of its key, 32 bits). It follows
 * from the key, so a reader knows the number of a ranking that has not started. If two rankings share a number,
 * readers of both read.
 */
export function partOf(key: RankingKey): number {
  return hash(rankingId(key));
}

function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return sum >>> 0;
}

/** The change that a batch makes to its board: the version, and the rankings whose entries it writes. */
export function viewChange({ board, decided }: BoardPart): Change {
  const ids = new Set<string>();
  for (const { decision } of decided) {
    for (const { placement, ranking, entry } of decision.moves) {
      if (placement && ranking && entry && !placement.built) ids.add(placement.id);
    }
  }
  return { versions: [board.version + 1], parts: [...ids].map(hash) };
}
