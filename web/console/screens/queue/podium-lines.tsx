import { amount } from '../../parts/format.js';
import { t } from '../../texts.js';

const text = t.queue.bulk;

type Place = { playerName: string; value: number; valueDisplay?: string | null };

interface PodiumLinesProps {
  board: Parameters<typeof amount>[0];
  podium: readonly { rank: number; moves: boolean; before?: Place | null; after?: Place | null }[];
}

/** Ranks 1 to 3 of a board, before and after a change that is previewed. */
export function PodiumLines({ board, podium }: PodiumLinesProps) {
  return podium.map(({ rank, moves, before, after }) => (
    <div key={rank} className={moves ? undefined : 'soft'}>
      {rank}.{' '}
      {moves
        ? text.change(
            before?.playerName,
            after?.playerName,
            after && amount(board, after.value, after.valueDisplay),
          )
        : text.stays(after?.playerName ?? before?.playerName)}
    </div>
  ));
}
