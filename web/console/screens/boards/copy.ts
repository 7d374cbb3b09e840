import type { BoardDetails } from '../../api/boards.js';
import { toLocalInput } from '../../parts/format.js';
import { t } from '../../texts.js';
import { alwaysOpen } from './when-fields.js';

const LONGEST_NAME = 100;

export function nameOfCopy(name: string): string {
  const copy = t.newBoard.copyOf(name);
  return [...copy].length > LONGEST_NAME ? name : copy;
}

/** Times of a copy: only those that are still to come. */
export function timesOfCopy({ startsAt, endsAt }: BoardDetails) {
  if (!endsAt || Date.parse(endsAt) <= Date.now()) return alwaysOpen();
  return {
    ...alwaysOpen(),
    kind: 'once' as const,
    starts: toLocalInput(startsAt),
    ends: toLocalInput(endsAt),
  };
}

/** What a copy takes over without a field of the form for new boards; a template has no description. */
export function takenOver({ description, icon, tags, publicFields, friendsFrom }: BoardDetails) {
  const ofBoth = { icon, tags, publicFields, friendsFrom };
  return { ofBoth, ofBoard: { ...ofBoth, description } };
}
