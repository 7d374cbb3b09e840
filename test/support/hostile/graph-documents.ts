import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { Dice } from './dice.js';
import { oddDocument } from './graph-shapes.js';
import { GraphValues } from './graph-values.js';
import type { Ground } from './ground.js';

/** An operation and its variables, both as text that need not be right. */
export interface HostileOperation {
  query: string;
  /** JSON text of an object. */
  variables: string;
}

type Field = GraphQLField<unknown, unknown>;

const DIRECTIVES = [
  '@skip(if: false)',
  '@include(if: true)',
  '@skip(if: $nothing)',
  '@include',
  '@deprecated',
  '@nothing(x: 1)',
  '@skip(if: "true")',
];
const ROOT_SHARES = [
  [6, 'Query'],
  [3, 'Mutation'],
  [1, 'Subscription'],
] as const;

/** Writes operations for the root fields of a schema, whole and broken. */
export class GraphDocuments {
  readonly #values: GraphValues;

  constructor(
    private readonly schema: GraphQLSchema,
    ground: Ground,
  ) {
    this.#values = new GraphValues(ground);
  }

  make(dice: Dice): HostileOperation {
    if (dice.chance(0.12)) return { query: oddDocument(dice), variables: '{}' };
    const operation = new Writing(this.schema, this.#values, dice).operation();
    return dice.chance(0.06) ? { ...operation, query: invalid(dice, operation.query) } : operation;
  }
}

/** One operation while it is written. */
class Writing {
  readonly #variables: { definition: string; json: string }[] = [];
  readonly #wrongness: number;
  readonly #depth: number;
  /** How much of the document itself is wrong: one fault anywhere, and nothing of it runs. */
  readonly #noise: number;
  #writes = false;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly values: GraphValues,
    private readonly dice: Dice,
  ) {
    this.#wrongness = dice.pick([0, 0, 0.1, 0.1, 0.25, 1]);
    this.#noise = dice.pick([0, 0, 0, 0, 0, 1]);
    this.#depth = dice.either([
      [10, () => 1 + dice.below(3)],
      [1, () => 14],
    ]);
  }

  operation(): HostileOperation {
    const { dice } = this;
    const rootName = dice.either(ROOT_SHARES.map(([weight, name]) => [weight, () => name] as const));
    this.#writes = rootName === 'Mutation';
    const root = this.schema.getType(rootName) as GraphQLObjectType;
    const fields = Object.values(root.getFields());
    const count = dice.pick([1, 1, 1, 2, 3]);
    const body = Array.from({ length: count }, (_, i) => {
      const alias = count > 1 || dice.chance(0.1) ? `a${dice.chance(0.05 * this.#noise) ? 0 : i}: ` : '';
      return alias + this.#field(dice.pick(fields), this.#depth);
    }).join(' ');
    const definitions = this.#variables.map(({ definition }) => definition).join(', ');
    return {
      query: `${rootName.toLowerCase()} Hostile${definitions && `(${definitions})`} { ${body} }`,
      variables: `{${this.#variables.map(({ json }) => json).join(', ')}}`,
    };
  }

  #field(field: Field, depth: number): string {
    const { dice } = this;
    const args = field.args
      .filter((argument) => dice.chance(isRequiredArgument(argument) ? 1 - 0.03 * this.#noise : 0.2))
      .map(
        ({ name, type }) =>
          `${name}: ${this.#value(name === 'id' ? idName(field.name) : name, type, String(type))}`,
      );
    if (dice.chance(0.01 * this.#noise)) args.push('nothing: 1');
    const directive = dice.chance(0.02 * this.#noise) ? ` ${dice.pick(DIRECTIVES)}` : '';
    return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${directive}${this.#selection(field, depth)}`;
  }

  #value(name: string, type: Field['args'][number]['type'], typeText: string): string {
    const { dice, values } = this;
    if (dice.chance(0.1 + 0.4 * this.#noise))
      return values.literal(dice, name, type, this.#wrongness, this.#writes);
    const variable = `v${this.#variables.length}`;
    const declared = dice.chance(1 - 0.03 * this.#noise)
      ? typeText
      : dice.pick(['String', 'Int!', '[ID]', 'Nothing']);
    const json = values.variable(dice, name, type, this.#wrongness, this.#writes);
    this.#variables.push({
      definition: `$${variable}: ${declared}`,
      json: dice.chance(0.98) ? `"${variable}": ${json}` : `"${variable}": ${json}, "${variable}": null`,
    });
    return `$${variable}`;
  }

  #selection(field: Field, depth: number): string {
    const { dice } = this;
    const type = getNamedType(field.type);
    if (isAbstractType(type)) {
      const shown = dice.pick(this.schema.getPossibleTypes(type));
      return ` { __typename id ... on ${shown.name} ${this.#members(shown, depth - 1)} }`;
    }
    if (!isObjectType(type)) return dice.chance(0.005 * this.#noise) ? ' { id }' : '';
    return ` ${this.#members(type, depth)}`;
  }

  #members(type: GraphQLObjectType, depth: number): string {
    const { dice } = this;
    const fields = Object.values(type.getFields());
    const scalars = fields.filter(
      (field) => !isObjectType(getNamedType(field.type)) && !isAbstractType(getNamedType(field.type)),
    );
    const objects = fields.filter((field) => !scalars.includes(field));
    const chosen = dice.some(scalars, 0.4).map((field) => this.#field(field, 0));
    // A deep document follows one path: a wide one would be too long to be looked at.
    const below =
      depth <= 0
        ? []
        : this.#depth > 5
          ? objects.slice(dice.below(objects.length)).slice(0, 1)
          : dice.some(objects, 0.4);
    chosen.push(...below.map((field) => this.#field(field, depth - 1)));
    if (dice.chance(0.03 * this.#noise)) chosen.push(`x: ${dice.pick(fields).name}`);
    return `{ __typename ${chosen.join(' ')} }`;
  }
}

const ID_NAMES: Record<string, string> = {
  apiKey: 'keyId',
  deviceSession: 'sessionId',
  scoreEvent: 'eventId',
  boardState: 'stateId',
  submissionMetadataRecord: 'metaId',
};

/** The name of the record that the `id` of a root field means, e.g. `boardId` for `board` and `updateBoard`. */
function idName(field: string): string {
  const record = field.replace(/^update([A-Z])/, (_whole, first: string) => first.toLowerCase());
  return ID_NAMES[record] ?? `${record}Id`;
}

/** Something of the text is lost, doubled or replaced. */
function invalid(dice: Dice, text: string): string {
  const at = dice.below(text.length);
  return dice.either([
    [2, () => text.slice(0, at)],
    [
      2,
      () =>
        text.slice(0, at) +
        dice.pick([
          '\u0000',
          '{',
          '}',
          '"',
          '"""',
          '$',
          '!',
          '\\',
          '\ud800',
          '\u2028',
          '#',
          '...',
          '@',
          '|',
          '&',
        ]) +
        text.slice(at),
    ],
    [1, () => text + text],
    [1, () => text.replaceAll(' ', ',,\n\t')],
    [1, () => text.replace(/ (\w+) /, ' __proto__ ')],
  ]);
}
