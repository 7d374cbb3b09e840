import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { fragmentsOf } from '../../../src/graphql/engine/check.js';
import { LIMITS, refuseTooMuch, Scales } from '../../../src/graphql/engine/cost.js';

/** How many steps from record to record a document takes, if limits allow. */
const DEEPEST = 3;

type Field = GraphQLField<unknown, unknown>;

/** `Query.account`, `Mutation.updateUser`: the field of a root type. */
export function rootField(schema: GraphQLSchema, door: string): { root: GraphQLNamedType; field: Field } {
  const [rootName, name] = door.split('.') as [string, string];
  const root = schema.getType(rootName);
  const field = isObjectType(root) ? root.getFields()[name] : undefined;
  if (!root || !field) throw new Error(`The schema has no ${door}`);
  return { root, field };
}

/** The arguments and the selection of an operation's root field. */
interface Wish {
  /** Names of the arguments that are given as variables. */
  given: string[];
  /** The type to select on an interface. */
  of?: string;
  /** Fields not to select, e.g. `Score.board`. */
  omit?: string[];
  /** At most this many steps from record to record. */
  deepest?: number;
  /** True: lists without what is in them, so that all of them fit. */
  bare?: boolean;
}

/** An operation that selects everything reachable from a root field without arguments. */
export function fullDocument(schema: GraphQLSchema, door: string, wish: Wish): string {
  for (let depth = wish.deepest ?? DEEPEST; depth > 0; depth -= 1) {
    // Rather than a step less: lists of the first records alone, no fields that an operation may select once, then no lists.
    for (const [onceAt, listsFrom] of [
      [depth, 0],
      [depth, depth - 1],
      [depth, depth],
      [undefined, depth],
      [undefined, depth + 1],
    ]) {
      const selections = new Selections(schema, wish, onceAt, wish.bare ? 0 : listsFrom);
      const text = operation(schema, door, wish, (type) => selections.of(type, depth), selections.fragments);
      if (isAllowed(schema, text, wish.given)) return text;
    }
  }
  throw new Error(`${door} cannot be asked for anything`);
}

/** An operation that selects as little as possible. */
export function emptyDocument(schema: GraphQLSchema, door: string, wish: Wish): string {
  return operation(schema, door, wish, () => '{ __typename }', new Map());
}

function operation(
  schema: GraphQLSchema,
  door: string,
  { given }: Wish,
  select: (type: GraphQLNamedType) => string,
  fragments: Map<string, string>,
): string {
  const { root, field } = rootField(schema, door);
  const args = field.args.filter(({ name }) => given.includes(name));
  const variables = args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = args.map(({ name }) => `${name}: $${name}`).join(', ');
  const type = getNamedType(field.type);
  const selection = isCompositeType(type) ? select(type) : '';
  return [
    `${root.name.toLowerCase()} All${variables && `(${variables})`} {`,
    `${field.name}${passed && `(${passed})`} ${selection} }`,
    ...fragments.values(),
  ].join('\n');
}

/** Pages and payloads are no step of their own. */
const ENVELOPE = /(Connection|Payload|Change|PageInfo|Ranking|Submission|Settings)$/;

/** Everything of a type, as fragments: each type is spelled out once for each depth. */
class Selections {
  readonly fragments = new Map<string, string>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly wish: Wish,
    /** The depth at which fields are selected that an operation may select once. */
    private readonly onceAt?: number,
    /** The least depth at which lists of records are selected. */
    private readonly listsFrom = 0,
  ) {}

  of(type: GraphQLNamedType, depth: number): string {
    if (isObjectType(type)) return `{ ...${this.#fragment(type, depth)} }`;
    if (!isAbstractType(type)) return '';
    if (isUnionType(type)) return `{ ${type.getTypes().map((one) => `...${this.#fragment(one, depth)}`)} }`;
    const shown = this.schema.getPossibleTypes(type).find(({ name }) => name === this.wish.of);
    return shown ? `{ id ...${this.#fragment(shown, depth)} }` : '{ id }';
  }

  #fragment(type: GraphQLObjectType, depth: number): string {
    const name = `${type.name}_${depth}`;
    if (!this.fragments.has(name)) {
      this.fragments.set(name, '');
      const fields = Object.values(type.getFields())
        .filter((field) => !this.wish.omit?.includes(`${type.name}.${field.name}`))
        .filter((field) => !field.extensions.once || depth === this.onceAt)
        .flatMap((field) => this.#field(type, field, depth));
      this.fragments.set(name, `fragment ${name} on ${type.name} { __typename ${fields.join(' ')} }`);
    }
    return name;
  }

  #field(parent: GraphQLObjectType, field: Field, depth: number): string[] {
    const type = getNamedType(field.type);
    // `edges` and `totalCount` are of the same records as `nodes`.
    if (field.args.some(isRequiredArgument) || /^(edges|totalCount)$/.test(field.name)) return [];
    if (!isCompositeType(type)) return [field.name];
    // Of the first list alone: documents have few tokens.
    if (type.name === 'PageInfo' && this.fragments.size > 1) return [];
    if (depth < this.listsFrom && type.name.endsWith('Connection')) return [];
    const page = field.args.some(({ name }) => name === 'first') ? '(first: 2)' : '';
    // A list whose records are beyond the last step.
    if ((depth === 1 || this.wish.bare) && type.name.endsWith('Connection'))
      return [`${field.name}${page} { __typename }`];
    const below = ENVELOPE.test(type.name) || isAbstractType(type) ? depth : depth - 1;
    if (below === 0) return [];
    // A record of any kind, which may be of the type that leads to it.
    if (isAbstractType(type) && !ENVELOPE.test(parent.name)) return [`${field.name} { __typename id }`];
    return [`${field.name}${page} ${this.of(type, below)}`];
  }
}

/** True if the service's limits let it run, with batches of one item. */
function isAllowed(schema: GraphQLSchema, text: string, given: string[]): boolean {
  const variables = Object.fromEntries(given.map((name) => [name, { items: [{}] }]));
  try {
    const document = parse(text, { maxTokens: LIMITS.tokens });
    const [operation] = document.definitions as [OperationDefinitionNode];
    refuseTooMuch(new Scales(schema, fragmentsOf(document), variables).weigh(operation), LIMITS);
    return true;
  } catch {
    return false;
  }
}
