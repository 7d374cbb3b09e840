import { isDeepStrictEqual } from 'node:util';
import { jsonText, printable } from '../output/output.js';
import { isObject } from './form.js';
import type { Plan, PlannedChange } from './service.js';

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

/** A field that a change sets; one member of it where it is an object. */
interface FieldChange {
  /** Its name in the file: `unit`, `ratio_config.scale`. */
  field: string;
  from?: unknown;
  to: unknown;
}

/** The members of a field that differ, or the field itself. */
function memberChanges(field: string, from: unknown, to: unknown): FieldChange[] {
  if (!isObject(to) || !(isObject(from) || from == null)) return [{ field, from, to }];
  const members = new Set([...Object.keys(from ?? {}), ...Object.keys(to)]);
  const changes = [...members].map((member) => ({
    field: `${field}.${member}`,
    from: from?.[member],
    to: to[member],
  }));
  return changes.filter((change) => !isDeepStrictEqual(change.from, change.to));
}

function fieldChanges({ before, after }: PlannedChange): FieldChange[] {
  return Object.entries(after ?? {}).flatMap(([field, to]) => memberChanges(field, before?.[field], to));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? printable(value) : jsonText(value);
}

function count(number: number, one: string): string {
  return `${number.toLocaleString('en')} ${one}${number === 1 ? '' : 's'}`;
}

/** Lines of one change: its record, then a line for each field. */
export function changeLines(change: PlannedChange): string[] {
  const { action, kind, name, score_count: scores, board_count: boards } = change;
  const lines = fieldChanges(change).map(({ field, from, to }) =>
    action === 'create' ? `${field}: ${textOf(to)}` : `${field}: ${textOf(from)} → ${textOf(to)}`,
  );
  if (scores !== null) lines.push(`${action === 'update' ? 're-ranks' : 'with'} ${count(scores, 'score')}`);
  if (boards !== null) lines.push(`with ${count(boards, 'board')} and all boards of its templates`);
  return [`${SIGNS[action]} ${kind} ${printable(name)}`, ...lines.map((line) => `    ${line}`)];
}

/** How to get the secret of a new webhook: logs of CI are no place for it. */
export function secretLines({ action, kind, after }: PlannedChange, id: string): string[] {
  const isSigned = kind === 'webhook' && action === 'create' && (after?.format ?? 'json') === 'json';
  return isSigned ? [`    its secret: leaderboard webhooks rotate-secret ${id}`] : [];
}

function tally(changes: PlannedChange[], verbs: [created: string, changed: string, deleted: string]): string {
  const number = (action: PlannedChange['action']) =>
    changes.filter((change) => change.action === action).length;
  const ranked = changes.filter(({ action, score_count: scores }) => action === 'update' && scores !== null);
  const more = ranked.length > 0 ? `; ${count(ranked.length, 'board')} re-ranked` : '';
  const [created, changed, deleted] = verbs;
  return `${number('create')} ${created}, ${number('update')} ${changed}, ${number('delete')} ${deleted}${more}.`;
}

/** The plan for people. */
export function planLines({ changes, not_in_file: left }: Plan, pruned: boolean): string[] {
  const lines = changes.flatMap(changeLines);
  if (!pruned && left.length > 0) {
    lines.push('Not in the file and left unchanged (use --prune to delete them):');
    lines.push(...left.map(({ kind, name }) => `    ${kind} ${printable(name)}`));
  }
  if (changes.length === 0) return [...lines, 'Nothing to do. The service matches the file.'];
  return [...lines, `Plan: ${tally(changes, ['to create', 'to change', 'to delete'])}`];
}

/** The last line of a report of what was done. */
export function doneLine(changes: PlannedChange[]): string {
  return `Applied: ${tally(changes, ['created', 'changed', 'deleted'])}`;
}

/** A change in JSON output. @param id of the record, once it exists */
export function changeJson(change: PlannedChange, id: string | null = change.id): object {
  const { action, kind, name, score_count: scores, board_count: boards } = change;
  const values = fieldChanges(change).map(({ field, from, to }) => [
    field,
    action === 'create' ? { to } : { from, to },
  ]);
  return {
    ...{ action, kind, name, id },
    fields: Object.fromEntries(values),
    ...(scores !== null && { [action === 'delete' ? 'scores' : 'scores_ranked_anew']: scores }),
    ...(boards !== null && { boards }),
  };
}
