import type { Dice } from './dice.js';
import { oddJson, oddText } from './values.js';

const FIELDS = [
  ...[
    'id',
    'name',
    'slug',
    'email',
    'display_name',
    'short_code',
    'value',
    'player_name',
    'created_at',
    'updated_at',
  ],
  ...[
    'last_seen_at',
    'platform',
    'kind',
    'submission_count',
    'last_score_value',
    'status',
    'hash',
    'deleted_at',
    'seq',
  ],
  ...['__proto__', 'constructor', 'toString', '', ' ', 'id;drop', 'name desc', 'ID', 'İd', 'e.id', '1', '*'],
];
const DIRECTIONS = [
  ':asc',
  ':desc',
  ':ASC',
  ':Desc',
  ': asc',
  '',
  ':',
  '::',
  ':up',
  ':asc:asc',
  ': asc ',
  ':\u0000',
  ':asc\ud800',
];

/** Sort orders: valid, invalid and very long ones. */
export function oddSort(dice: Dice): string {
  const parts = dice.either([
    [8, () => 1 + dice.below(3)],
    [1, () => 40],
    [1, () => 400],
  ]);
  const separator = dice.pick([',', ',', ',', ', ', ',,', ';', ' ']);
  return Array.from(
    { length: parts },
    () => dice.pick(FIELDS) + (dice.chance(0.7) ? dice.pick(DIRECTIONS.slice(0, 2)) : dice.pick(DIRECTIONS)),
  ).join(separator);
}

const PARTS = ['p', 'id', 's', 'f', 'd'];

/** A cursor of the service, a changed one, or something else. */
export function oddCursor(dice: Dice, cursors: readonly string[], ids: readonly string[]): string {
  const cursor = dice.pick(cursors);
  return dice.either([
    [3, () => cursor],
    [6, () => forged(dice, cursor, ids)],
    [1, () => oddText(dice)],
    [1, () => cursor.slice(0, dice.below(cursor.length))],
    [1, () => cursor + dice.pick(['=', '==', 'A', '\n', '.'])],
    [1, () => Buffer.from(oddJson(dice, ids)).toString('base64url')],
    [1, () => Buffer.from(`{"p":[${'0,'.repeat(3_000)}0],"s":"","f":{},"d":"f"}`).toString('base64url')],
  ]);
}

function forged(dice: Dice, cursor: string, ids: readonly string[]): string {
  const known = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Record<string, unknown>;
  const position = Array.isArray(known.p) ? known.p : [];
  const members = new Map(PARTS.map((part) => [part, JSON.stringify(known[part]) ?? 'null']));
  const wrong = dice.pick(PARTS);
  if (wrong === 'p' && dice.chance(0.8)) {
    members.set('p', `[${position.map(() => oddJson(dice, ids)).join(',')}]`);
  } else if (wrong === 'd') {
    members.set('d', dice.pick(['"b"', '"f"', '"x"', 'null', '1']));
  } else {
    members.set(wrong, oddJson(dice, ids));
  }
  const text = `{${[...members].map(([name, value]) => `"${name}":${value}`).join(',')}}`;
  return Buffer.from(text).toString(dice.chance(0.8) ? 'base64url' : 'base64');
}
