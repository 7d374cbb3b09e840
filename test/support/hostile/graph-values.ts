import {
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { snakeCase } from '../../../src/rest/spelling.js';
import type { Dice } from './dice.js';
import type { Ground } from './ground.js';
import { oddCursor, oddSort } from './lists.js';
import { oddId, oddJson, oddText } from './values.js';

const ODD_LITERALS = [
  ...[
    'null',
    '0',
    '-0',
    '1',
    '-1',
    '1.5',
    '1e400',
    '99999999999999999999',
    '2147483648',
    'true',
    'NOTHING',
    '__proto__',
    '""',
    '" "',
  ],
  ...[
    '"\\u0000"',
    '"\\ud800"',
    '"\\u{0}"',
    '"\\u{110000}"',
    '"\\u{d800}"',
    '"""\u0000"""',
    '"""block\n "quoted" """',
    '"a\u0000b"',
    '"\\x"',
  ],
  ...[
    '[]',
    '[[]]',
    '[null]',
    '[1, "a", {b: 2}]',
    '{}',
    '{a: 1, a: 2}',
    '{__proto__: {x: 1}}',
    '{input: {input: null}}',
    '$nothing',
    '-',
    '.5',
    '01',
  ],
  ...[
    `${'['.repeat(100)}${']'.repeat(100)}`,
    `${'{a:'.repeat(80)}1${'}'.repeat(80)}`,
    `"${'x'.repeat(9_000)}"`,
  ],
];

/** Values of the schema's types, as GraphQL spells them or as JSON of variables. */
export class GraphValues {
  constructor(private readonly ground: Ground) {}

  /** @param writes of what is written only records that may be invalid are named */
  literal(dice: Dice, name: string, type: GraphQLInputType, wrongness: number, writes: boolean): string {
    if (dice.chance(wrongness))
      return dice.chance(0.3)
        ? asLiteral(JSON.parse(this.#text(dice, name, writes)))
        : dice.pick(ODD_LITERALS);
    return asLiteral(this.#right(dice, name, type, wrongness, writes), isEnumType(getNamedType(type)));
  }

  /** JSON text. */
  variable(dice: Dice, name: string, type: GraphQLInputType, wrongness: number, writes: boolean): string {
    if (dice.chance(wrongness)) return oddJson(dice, this.#ids(writes));
    return JSON.stringify(this.#right(dice, name, type, wrongness, writes));
  }

  /** Writes name only records that may become invalid. */
  #ids(writes: boolean): string[] {
    return writes ? Object.values(this.ground.invalid) : this.ground.everyId;
  }

  #text(dice: Dice, name: string, writes: boolean): string {
    const { everyId, cursors } = this.ground;
    if (name === 'after' || name === 'before') return JSON.stringify(oddCursor(dice, cursors, everyId));
    if (name === 'sort') return JSON.stringify(oddSort(dice));
    return JSON.stringify(dice.chance(0.5) ? oddId(dice, this.#ids(writes)) : oddText(dice));
  }

  #right(dice: Dice, name: string, type: GraphQLInputType, wrongness: number, writes: boolean): unknown {
    if (isNonNullType(type)) return this.#right(dice, name, type.ofType, wrongness, writes);
    if (isListType(type))
      return Array.from({ length: dice.below(4) }, () =>
        this.#right(dice, name, type.ofType, wrongness, writes),
      );
    if (isEnumType(type)) return dice.pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) =>
        dice.chance(isRequiredInputField(field) ? 0.97 : 0.4),
      );
      return Object.fromEntries(
        fields.map((field) => [
          field.name,
          dice.chance(wrongness / 2)
            ? JSON.parse(this.#text(dice, field.name, writes))
            : this.#right(dice, field.name, field.type, wrongness, writes),
        ]),
      );
    }
    return this.#scalar(dice, name, getNamedType(type).name, writes);
  }

  #scalar(dice: Dice, name: string, type: string, writes: boolean): unknown {
    const { ids, invalid, texts, nonces, cursors } = this.ground;
    const known = snakeCase(name);
    if (type === 'ID') return (writes ? invalid : ids)[known] ?? dice.pick(this.#ids(writes));
    if (name === 'nonce') return dice.pick(nonces);
    if (name === 'after' || name === 'before') return dice.pick(cursors);
    if (name === 'sort') return 'created_at:desc';
    if (name === 'email') return `g${dice.below(1e9)}@example.com`;
    if (type === 'String') return texts[known] ?? `text ${dice.below(1e9)}`;
    if (type === 'Boolean') return dice.chance(0.5);
    if (type === 'Int' || type === 'SafeInt') return dice.pick([1, 2, 5, 20, 100]);
    if (type === 'Float') return dice.pick([0, 1, -1.5, 1e15]);
    if (type === 'DateTime') return `20${30 + dice.below(60)}-01-01T00:00:00Z`;
    if (type === 'JSONObject') return { a: [1, { b: null }] };
    if (type === 'TestFilter') return dice.pick([true, false, 'all']);
    return 'x';
  }
}

/** JSON as GraphQL's own literals spell it. */
function asLiteral(value: unknown, isEnum = false): string {
  if (Array.isArray(value)) return `[${value.map((item) => asLiteral(item, isEnum)).join(', ')}]`;
  if (typeof value === 'string' && isEnum) return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(
      ([name, member]) =>
        `${name}: ${asLiteral(member, typeof member === 'string' && /^[A-Z_]+$/.test(member))}`,
    )
    .join(', ')}}`;
}
