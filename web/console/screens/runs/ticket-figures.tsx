import { useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { count } from '../../parts/format.js';
import { When } from '../../parts/time.js';
import { TICKET_TEXTS as text } from './texts.js';

const TicketFiguresQuery = graphql(`
  query TicketFigures($code: String!) {
    board(by: { shortCode: $code }) {
      tickets { mode clock { slackSeconds } }
      ticketFigures { since runs withTicket short rate fast slow }
    }
  }
`);

const FAULTS = ['short', 'rate', 'fast', 'slow'] as const;

/** How a board's tickets do: in a trial, what required ones would flag. */
export function TicketFigures({ code }: { code: string }) {
  const { data } = useRead(TicketFiguresQuery, { code });
  const { tickets, ticketFigures: figures } = data?.board ?? {};
  if (!tickets || !figures) return null;
  const faults = FAULTS.filter((fault) => figures[fault] > 0).map(
    (fault) => `${count(figures[fault])} ${text.faults[fault]}`,
  );
  const asked = tickets.mode === 'ASKED';
  return (
    <p className="note">
      <span>
        {text.trial} <When at={figures.since} />: {text.share(count(figures.withTicket), count(figures.runs))}{' '}
        {tickets.clock && (faults.length > 0 ? text.flagged(faults.join(', '), asked) : text.clean(asked))}
      </span>
    </p>
  );
}
