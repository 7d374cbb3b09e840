import { type Measure, measuredText, shownNumber } from '../../base/value-format.js';
import type { Alert } from './alert.js';

/** A sentence for people. @param measure how the board shows values; null: there is no board */
export function explainAlert({ kind, metadata }: Pick<Alert, 'kind' | 'metadata'>, measure: Measure | null) {
  const number = (name: string) => metadata[name] ?? 0;
  if (kind === 'new_players') {
    const usual = Math.round(number('usual') * 10) / 10;
    return `${shownNumber(number('players'))} new players within an hour; in the week before, ${shownNumber(usual)} an hour.`;
  }
  const value = (name: string) => measuredText(measure ?? { format: null, unit: null }, number(name));
  const more = number('entries') - number('previous_entries');
  const among = more > 0 ? `, with ${shownNumber(more)} more ${more === 1 ? 'entry' : 'entries'}` : '';
  return `The median score went from ${value('previous_median')} to ${value('median')} within an hour${among}.`;
}
