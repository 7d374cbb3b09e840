import { SetupError } from '../../base/errors.js';
import { SETTINGS_SINCE } from '../../db/schema/settings-since.js';
import type { Ends } from './follow.js';

const USED = `
  with used as (
    select d.tickets, d.proof, d.recordings, d.verdicts from boards d where d.account_id = $1
    union all select t.tickets, t.proof, t.recordings, t.verdicts from board_templates t where t.account_id = $1)
  select bool_or(u.tickets is not null) as tickets, bool_or(u.proof = 'required') as proofs,
    bool_or(u.recordings is not null) as recordings, bool_or(u.verdicts is not null) as verdicts,
    exists (select from player_merges m where m.account_id = $1) as merges
  from used u`;

/**
 * Before an account arrives that uses what an older release would ignore: on the target no process of one runs, and
 * none starts from now on.
 * @param cell name of the target
 * @throws SetupError while one runs
 */
export async function requireSettings({ source, target, account }: Ends, cell: string): Promise<void> {
  const { rows } = await source.query<Record<keyof typeof SETTINGS_SINCE, boolean | null>>(USED, [account]);
  for (const [name, migration] of Object.entries(SETTINGS_SINCE)) {
    if (!rows[0]![name as keyof typeof SETTINGS_SINCE]) continue;
    const { rows: opened } = await target.query<{ open: boolean }>('select open_since($1) as open', [
      migration,
    ]);
    if (opened[0]!.open) continue;
    throw new SetupError(
      `The account uses ${name}, which a process of an older release on the cell ${cell} doesn't know. ` +
        'Replace it, then resume the move.',
    );
  }
}
