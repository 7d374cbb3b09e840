import { useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { count, span } from '../../parts/format.js';
import { VERDICT_TEXTS as text } from './texts.js';

const VerdictFiguresQuery = graphql(`
  query VerdictFigures($code: String!) {
    board(by: { shortCode: $code }) {
      verdictFigures { verified rejected unknown waiting lagSeconds disagreed }
    }
  }
`);

/** How the verifier of a board does. */
export function VerdictFigures({ code }: { code: string }) {
  const { data } = useRead(VerdictFiguresQuery, { code });
  const figures = data?.board?.verdictFigures;
  if (!figures) return null;
  const { verified, rejected, unknown, waiting, lagSeconds, disagreed } = figures;
  return (
    <p className="note">
      <span>
        {text.figures(count(verified), count(rejected), count(unknown))} {text.waiting(count(waiting))}
        {lagSeconds != null && ` ${text.lag(span(1_000 * lagSeconds))}`}
        {disagreed > 0 && ` ${text.disagreed(count(disagreed))}`}
      </span>
    </p>
  );
}
