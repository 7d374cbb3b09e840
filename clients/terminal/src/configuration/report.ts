import { jsonText, printable } from '../output/output.js';
import type { Plan, PlannedChange } from './plan.js';

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? printable(value) : jsonText(value);
}

function count(number: number, one: string): string {
  return `${number.toLocaleString('en')} ${one}${number === 1 ? '' : 's'}`;
}

/** Lines of one change: its record, then a line for each field. */
export function changeLines({ action, kind, label, fields, entries, boards }: PlannedChange): string[] {
  const lines = fields.map(({ field, from, to }) =>
    action === 'create' ? `${field}: ${textOf(to)}` : `${field}: ${textOf(from)} → ${textOf(to)}`,
  );
  if (entries !== undefined && action === 'update') lines.push(`re-ranks ${count(entries, 'score')}`);
  if (entries !== undefined && action === 'delete') lines.push(`with ${count(entries, 'score')}`);
  if (boards !== undefined) lines.push(`with ${count(boards, 'board')} and all boards of its templates`);
  return [`${SIGNS[action]} ${kind} ${printable(label)}`, ...lines.map((line) => `    ${line}`)];
}

/** How to get the secret of a new webhook: logs of CI are no place for it. */
export function secretLines({ action, kind, wanted }: PlannedChange, id: string): string[] {
  const isSigned = kind === 'webhook' && action === 'create' && wanted!.target.get('format') === 'json';
  return isSigned ? [`    its secret: leaderboard webhooks rotate-secret ${id}`] : [];
}

function tally(changes: PlannedChange[], verbs: [created: string, changed: string, deleted: string]): string {
  const number = (action: PlannedChange['action']) =>
    changes.filter((change) => change.action === action).length;
  const anew = changes.filter(({ action, entries }) => action === 'update' && entries !== undefined);
  const ranked = anew.length > 0 ? `; ${count(anew.length, 'board')} re-ranked` : '';
  const [created, changed, deleted] = verbs;
  return `${number('create')} ${created}, ${number('update')} ${changed}, ${number('delete')} ${deleted}${ranked}.`;
}

/** The plan for people. */
export function planLines({ changes, unnamed }: Plan, pruned: boolean): string[] {
  const lines = changes.flatMap(changeLines);
  if (!pruned && unnamed.length > 0) {
    lines.push('Not in the file and left unchanged (use --prune to delete them):');
    lines.push(...unnamed.map(({ kind, label }) => `    ${kind} ${printable(label)}`));
  }
  if (changes.length === 0) return [...lines, 'Nothing to do. The service matches the file.'];
  return [...lines, `Plan: ${tally(changes, ['to create', 'to change', 'to delete'])}`];
}

/** The last line of a report of what was done. */
export function doneLine(changes: PlannedChange[]): string {
  return `Applied: ${tally(changes, ['created', 'changed', 'deleted'])}`;
}

/** A change in JSON output. @param id of the record, once it exists */
export function changeJson(change: PlannedChange, id = change.stored?.id): object {
  const { action, kind, label, fields, entries, boards } = change;
  const values = fields.map(({ field, from, to }) => [field, action === 'create' ? { to } : { from, to }]);
  const ranked = entries !== undefined && {
    [action === 'delete' ? 'scores' : 'scores_ranked_anew']: entries,
  };
  return {
    action,
    kind,
    name: label,
    id: id ?? null,
    fields: Object.fromEntries(values),
    ...ranked,
    ...(boards !== undefined && { boards }),
  };
}
