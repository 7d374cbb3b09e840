import type { Change } from '../changes.js';

/** Bytes of a payload for changes; a topic whose change finds no room is announced without. */
const CHANGES_BYTES = 1_500;

/** A change in a payload: index of its topic, versions, parts. */
type ChangeRow = [topic: number, versions: readonly number[], parts: readonly number[] | null];

/** Topics, and behind a space, which processes of older versions do not read, their changes as far as there is room. */
export function payloadOf(due: readonly [topic: string, Change | undefined][]): string {
  const topics = due.map(([topic]) => topic).join();
  let left = CHANGES_BYTES;
  const rows: string[] = [];
  due.forEach(([, change], i) => {
    if (!change) return;
    const row = JSON.stringify([i, change.versions, change.parts] satisfies ChangeRow);
    if (row.length > left) return;
    left -= row.length + 1;
    rows.push(row);
  });
  return rows.length > 0 ? `${topics} [${rows.join()}]` : topics;
}

/** By index of the topic. A text that this version does not know counts as none: then anything may differ. */
export function changesOf(text: string | undefined): Map<number, Change> {
  if (text === undefined) return new Map();
  try {
    const rows = JSON.parse(text) as ChangeRow[];
    return new Map(rows.map(([topic, versions, parts]) => [topic, { versions, parts }]));
  } catch {
    return new Map();
  }
}
