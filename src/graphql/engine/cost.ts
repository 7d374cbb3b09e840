import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { Extensions } from 'type-graphql';
import { DomainError } from '../../base/errors.js';
import { DEFAULT_PAGE } from '../../db/keyset.js';

/** Limits of one operation. Introspection has limits of its own (introspection.ts); only its aliases count here. */
export interface Limits {
  /** Nesting of fields. */
  depth: number;
  /** Renamed fields in the whole document. */
  aliases: number;
  /** Most records (objects) of the response if every list has the requested length. */
  cost: number;
  /** Lexical tokens of the document; checked by the parser. */
  tokens: number;
}

export const LIMITS: Limits = { depth: 12, aliases: 30, cost: 5_000, tokens: 2_000 };

/** Largest body of a batch of a caller with a credential, over both interfaces. */
export const BATCH_BODY_BYTES = 256 * 1_024;

/** An operation's weight in the measures of {@link Limits}. */
export interface Weight {
  cost: number;
  /** The part of a connection's cost that counts once for each of its records. */
  each: number;
  depth: number;
  aliases: number;
  /** Number of reads, by name, of fields that are allowed once per operation. */
  singles: ReadonlyMap<string, number>;
}

const NONE: ReadonlyMap<string, number> = new Map();
const NO_COST: Weight = { cost: 0, each: 0, depth: 0, aliases: 0, singles: NONE };

function sumOf(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
  times = 1,
): ReadonlyMap<string, number> {
  if (b.size === 0) return a;
  const sum = new Map(a);
  for (const [name, count] of b) sum.set(name, (sum.get(name) ?? 0) + count * times);
  return sum;
}

/** Marks a field whose work its records do not show: an operation may select it once, under one name and in no list. */
export function Once(): MethodDecorator {
  return Extensions({ once: true });
}

/** Marks a field whose selections count once for each item of its `input.items`. */
export function PerItem(): MethodDecorator {
  return Extensions({ perItem: true });
}

/** Extension of an argument with {@link Weighs}. */
export const WEIGHS = 'weighs';

/** Weighs an argument that causes extra work: the number of records that its value is worth. */
export function Weighs(weightOf: (value: unknown) => number): PropertyDecorator {
  return Extensions({ [WEIGHS]: weightOf });
}

/** The cost as responses return it in `extensions.cost`. */
export interface Cost {
  requested: number;
  limit: number;
}

function refuseCost(sentence: string): DomainError {
  return new DomainError('BAD_REQUEST', sentence);
}

/** @throws DomainError BAD_REQUEST when an operation exceeds a limit */
export function refuseTooMuch({ cost, depth, aliases, singles }: Weight, limits: Limits): void {
  for (const [name, count] of singles) {
    if (count > 1) throw refuseCost(`${name} can be requested only once per query, not ${count} times.`);
  }
  if (depth > limits.depth) {
    throw refuseCost(`The query is nested ${depth} levels deep. The limit is ${limits.depth}.`);
  }
  if (aliases > limits.aliases) {
    throw refuseCost(`The query uses ${aliases} aliases. The limit is ${limits.aliases}.`);
  }
  if (cost > limits.cost) {
    throw refuseCost(
      `The query could return ${cost} records. The limit is ${limits.cost}. Request shorter pages or fewer nested lists.`,
    );
  }
}

type Composite = GraphQLObjectType;

function isConnection(typeName: string): boolean {
  return typeName.endsWith('Connection');
}

/** Introspection fields with the type of each. */
const INTROSPECTED: ReadonlyMap<string, string> = new Map([
  [SchemaMetaFieldDef.name, getNamedType(SchemaMetaFieldDef.type).name],
  [TypeMetaFieldDef.name, getNamedType(TypeMetaFieldDef.type).name],
]);

/**
 * Weighs an operation before it runs. A field of a composite type costs 1 plus its selections, which count once per
 * requested record (`first`, `last`, `ids`; default 20) or item (`input.items`); a list itself counts once per record,
 * too. Of a connection only its lists (`edges`, `nodes`) count per record; they and `node` are no depth. A field whose
 * work its records do not show states in its `complexity` how many records it is worth. Each fragment is weighed once,
 * so the work is linear in the document's size.
 */
export class Scales {
  readonly #fragments = new Map<string, Weight>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly definitions: ReadonlyMap<string, FragmentDefinitionNode>,
    private readonly variables: Record<string, unknown>,
  ) {}

  weigh(operation: OperationDefinitionNode): Weight {
    const root = this.schema.getRootType(operation.operation);
    return root ? this.#selections(operation.selectionSet, root.name) : NO_COST;
  }

  #selections(set: SelectionSetNode, typeName: string): Weight {
    const total = { ...NO_COST };
    for (const selection of set.selections) {
      let weight: Weight;
      if (selection.kind === Kind.FIELD) weight = this.#field(selection, typeName);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) weight = this.#fragment(selection.name.value);
      else weight = this.#selections(selection.selectionSet, selection.typeCondition?.name.value ?? typeName);
      total.cost += weight.cost;
      total.each += weight.each;
      total.aliases += weight.aliases;
      total.depth = Math.max(total.depth, weight.depth);
      total.singles = sumOf(total.singles, weight.singles);
    }
    return total;
  }

  #fragment(name: string): Weight {
    const cached = this.#fragments.get(name);
    if (cached) return cached;
    const definition = this.definitions.get(name);
    const weight = definition
      ? this.#selections(definition.selectionSet, definition.typeCondition.name.value)
      : NO_COST;
    this.#fragments.set(name, weight);
    return weight;
  }

  #field(node: FieldNode, typeName: string): Weight {
    const aliases = node.alias ? 1 : 0;
    const { selectionSet } = node;
    const introspected = INTROSPECTED.get(node.name.value);
    if (introspected && selectionSet) {
      // Introspection fields read nothing.
      const below = this.#selections(selectionSet, introspected);
      return { ...NO_COST, aliases: aliases + below.aliases };
    }
    const field = this.#definition(typeName, node.name.value);
    const argumentCost = field ? this.#arguments(field, node) : 0;
    const fieldCost = ((field?.extensions.complexity as number | undefined) ?? 0) + argumentCost;
    const singles = field?.extensions.once ? new Map([[field.name, 1]]) : NONE;
    const type = field && getNamedType(field.type);
    if (!field || !isCompositeType(type) || !selectionSet) {
      return {
        ...NO_COST,
        cost: fieldCost,
        depth: node.name.value === '__typename' ? 0 : 1,
        aliases,
        singles,
      };
    }
    const below = this.#selections(selectionSet, type.name);
    const isList = isListType(getNullableType(field.type));
    const passed = { aliases: aliases + below.aliases, singles: sumOf(singles, below.singles) };
    if (isList && isConnection(typeName)) {
      return { ...passed, cost: fieldCost, each: 1 + below.cost, depth: below.depth };
    }
    if (/Edge$/.test(typeName) && node.name.value === 'node') {
      return { ...passed, cost: fieldCost + below.cost, each: 0, depth: below.depth };
    }
    const times = this.#times(field, node);
    const once = isConnection(type.name) ? 1 : times;
    return {
      cost: fieldCost + (isList ? times : 1) + below.cost * once + below.each * times,
      each: 0,
      depth: 1 + below.depth,
      aliases: aliases + below.aliases,
      singles: sumOf(singles, below.singles, times),
    };
  }

  #definition(typeName: string, name: string): GraphQLField<unknown, unknown> | undefined {
    const type = this.schema.getType(typeName);
    return isObjectType(type) || isInterfaceType(type) ? (type as Composite).getFields()[name] : undefined;
  }

  /** The weight of arguments that are work of their own. */
  #arguments(field: GraphQLField<unknown, unknown>, node: FieldNode): number {
    const weighed = field.args.filter(
      ({ name, extensions }) =>
        extensions[WEIGHS] && node.arguments?.some((argument) => argument.name.value === name),
    );
    if (weighed.length === 0) return 0;
    const values = this.#values(field, node);
    return weighed.reduce(
      (sum, { name, extensions }) => sum + (extensions[WEIGHS] as (value: unknown) => number)(values?.[name]),
      0,
    );
  }

  /** Undefined: the executor reports the faults of the arguments. */
  #values(field: GraphQLField<unknown, unknown>, node: FieldNode): Record<string, unknown> | undefined {
    try {
      return getArgumentValues(field, node, this.variables);
    } catch {
      return undefined;
    }
  }

  #times(field: GraphQLField<unknown, unknown>, node: FieldNode): number {
    const listed = field.args.some(({ name }) => name === 'first');
    const named = field.args.some(({ name }) => name === 'ids');
    const perItem = field.extensions.perItem === true;
    if (!listed && !named && !perItem) return 1;
    const values = this.#values(field, node);
    if (!values) return 1;
    if (perItem) return (values.input as { items: unknown[] }).items.length;
    if (Array.isArray(values.ids)) return values.ids.length;
    const size = values.first ?? values.last ?? DEFAULT_PAGE;
    return typeof size === 'number' && size > 0 ? size : DEFAULT_PAGE;
  }
}
