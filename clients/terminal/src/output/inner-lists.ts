import type { JsonRecord } from '../call.js';
import type { ListPage, Schemas } from '../rest/client.js';
import type { RecordColumn } from './table.js';

/** A list that has no further pages. */
export async function* onlyPage(data: JsonRecord[]): AsyncGenerator<ListPage<JsonRecord>> {
  const pagination = { count: data.length, has_next: false, has_prev: false } as Schemas['Pagination'];
  yield { data, pagination };
}

/** True if a field holds several records, which one line can't show readably. */
export function isInnerList(value: unknown): value is JsonRecord[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one);
}

/** Columns of such records, one for each of their fields: `identity_id` is PLAYER, and shows names in a terminal. */
export function innerColumns(records: JsonRecord[]): RecordColumn[] {
  const names = [...new Set(records.flatMap(Object.keys))];
  return names.map((name) => ({
    title: name === 'identity_id' ? 'PLAYER' : name.replace(/_id$/, '').replaceAll('_', ' ').toUpperCase(),
    right: records.every((record) => ['number', 'undefined'].includes(typeof record[name])),
    cut: true,
    named: /^(identity|game|board)_id$/.test(name),
    value: (record) => record[name],
  }));
}
