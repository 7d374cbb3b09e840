import { Distribution, type ShownRanking, type UsualValues } from '../../charts/distribution.js';
import type { Measured } from '../../parts/format.js';
import { t } from '../../texts.js';

/** The board's distribution with the value of the run. */
export function WhereItLies(props: {
  board: { id: string } & Measured;
  mark: number;
  isTest: boolean;
  /** What the reason says, which the chart then says, too. */
  usual: UsualValues | null;
  ranking: ShownRanking | undefined;
}) {
  return (
    <figure className="card">
      <figcaption>
        <b>{t.queue.whereItLies}</b>
      </figcaption>
      <Distribution {...props} />
    </figure>
  );
}
