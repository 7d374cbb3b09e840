import type { SortDirection } from '../../generated/graphql.js';
import { Amount } from '../../parts/amount.js';
import { Card } from '../../parts/card.js';
import { count, type Measured } from '../../parts/format.js';
import { t } from '../../texts.js';
import { type Counts, played } from './board-rules.js';

interface PlayedProps {
  name: string;
  board: Measured;
  counts: Counts;
  direction: SortDirection;
}

/** The same runs, ranked by the present choices of the form. */
export function Played({ name, board, counts, direction }: PlayedProps) {
  const rows = played(counts, direction);
  return (
    <Card
      title={name.trim() || t.newBoard.title}
      side={<span className="faint-text small">{t.newBoard.sample}</span>}
    >
      <ol className="played" aria-live="polite">
        {rows.map(([player, value], index) => (
          <li key={index}>
            <span className="faint-text">{index + 1}</span>
            <span className="strong">{player}</span>
            <span>{counts === 'RATIO' ? count(value) : <Amount of={board} value={value} />}</span>
          </li>
        ))}
      </ol>
      <div className="section">
        <p className="soft">{t.newBoard.says[counts]}</p>
        <h3>{t.newBoard.runs}</h3>
        <p className="soft small">{t.newBoard.runList}</p>
      </div>
    </Card>
  );
}
