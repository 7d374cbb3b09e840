import { Distribution } from '../../charts/distribution.js';
import { t } from '../../texts.js';

/** The board's distribution with the value of the run. */
export function WhereItLies(props: { boardId: string; mark: number; isTest: boolean }) {
  return (
    <figure className="card">
      <figcaption>
        <b>{t.queue.whereItLies}</b>
      </figcaption>
      <Distribution {...props} />
    </figure>
  );
}
