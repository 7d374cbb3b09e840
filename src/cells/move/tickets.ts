import { SetupError } from '../../base/errors.js';
import type { Ends } from './follow.js';

const HAS_TICKETS = `
  select exists (select from boards d where d.account_id = $1 and d.tickets is not null)
    or exists (select from board_templates t where t.account_id = $1 and t.tickets is not null) as has_tickets`;

/**
 * Before an account with tickets arrives: a process of a release without them would take its runs with nonces, so on the target none
 * runs, and none starts from now on.
 * @param cell name of the target
 * @throws SetupError while one runs
 */
export async function requireTickets({ source, target, account }: Ends, cell: string): Promise<void> {
  const { rows } = await source.query<{ has_tickets: boolean }>(HAS_TICKETS, [account]);
  if (!rows[0]!.has_tickets) return;
  const { rows: opened } = await target.query<{ open: boolean }>('select open_tickets() as open');
  if (!opened[0]!.open)
    throw new SetupError(
      `The account has boards with tickets, which a process of an older release on the cell ${cell} doesn't know. ` +
        'Replace it, then resume the move.',
    );
}
