import { Link } from '@tanstack/react-router';
import { ordinal } from '../../../../src/base/words/ordinal.js';
import type { BoardDetails } from '../../api/boards.js';
import { When } from '../../parts/time.js';
import { RULE_TEXTS, NEXT_TEXTS as text } from './texts.js';

type Line = NonNullable<BoardDetails['closingRules'][number]['prizes']>['lines'][number];

/** Lines of prizes of one closing. */
const FEW = 3;

/** When the rankings of a board close next, and what their first places are given. */
export function NextClosings({ board, slug }: { board: BoardDetails; slug: string }) {
  const closings = board.nextClosings ?? [];
  if (closings.length === 0) return null;
  return (
    <ul className="card rows" aria-label={text.title}>
      {closings.map(({ view, endsAt }) => {
        const lines = board.closingRules.find((rule) => rule.view === view)?.prizes?.lines ?? [];
        return (
          <li key={view ?? ''}>
            <span>
              <b className="name">{view ?? RULE_TEXTS.own}</b>{' '}
              <span className="soft">
                {text.closes} <When at={endsAt} />
              </span>
              {lines.length > 0 && (
                <span className="block small">{lines.slice(0, FEW).map(prizeOf).join(', ')}</span>
              )}
            </span>
            <span className="right">
              <Link
                to="/games/$slug/boards/$code/$tab"
                params={{ slug, code: board.shortCode, tab: 'settings' }}
              >
                {text.edit}
              </Link>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function prizeOf({ title, firstRank, lastRank, percent, reached }: Line): string {
  if (firstRank != null) {
    const ranks = [...new Set([firstRank, lastRank ?? firstRank])].map(ordinal);
    return text.prize(title, ranks.join('–'));
  }
  if (percent != null) return text.prize(title, text.best(percent));
  return text.prize(title, reached == null ? text.all : text.from(reached));
}
