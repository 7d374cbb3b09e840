import { collectFields, collectSubFields } from '@graphql-tools/utils';
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { isSmall } from '../engine/compile.js';
import type { Prepared } from '../engine/execute.js';
import { fragmentsOf, hasDirectives } from '../engine/fragments.js';
import { SafeInt } from '../scalars.js';
import { JsonBytes } from './json-bytes.js';

/**
 * Writes a value as JSON. @throws {@link BEYOND} for values only graphql-js can complete: errors, promises, functions
 */
type Write = (value: unknown, json: JsonBytes) => void;

/** The bytes before and after the JSON of a result's `data`, in UTF-8. */
export type Around = readonly [before: Uint8Array, after: Uint8Array];

/**
 * Returns the JSON of a result's `data` with its surroundings, one character per byte; undefined: left to graphql-js.
 */
export type PlainText = (root: object, around: Around) => string | undefined;

const BEYOND = new Error('not to be written here');

function beyond(): never {
  throw BEYOND;
}

/** True if the value is final: no promise, function or error. */
function isSettled(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  return !(value instanceof Error) && typeof (value as { then?: unknown }).then !== 'function';
}

const text: Write = (value, json) => {
  if (typeof value === 'string') json.string(value);
  else beyond();
};

const numberIf =
  (fits: (value: number) => boolean): Write =>
  (value, json) => {
    if (typeof value === 'number' && fits(value)) json.number(value);
    else beyond();
  };

/** Fast paths for the usual JavaScript types; each writes the same as its GraphQL type's `serialize` and JSON would. */
const LEAVES = new Map<GraphQLLeafType, Write>([
  [GraphQLString, text],
  [GraphQLID, text],
  [GraphQLFloat, numberIf(Number.isFinite)],
  [GraphQLInt, numberIf((value) => (value | 0) === value)],
  [SafeInt, numberIf(Number.isSafeInteger)],
]);

function leaf(type: GraphQLLeafType): Write {
  return (
    LEAVES.get(type) ??
    ((value, json) => {
      const shown = (isSettled(value) ? type.serialize(value) : undefined) ?? beyond();
      json.json(JSON.stringify(shown) ?? beyond());
    })
  );
}

function list(item: Write): Write {
  return (values, json) => {
    if (!Array.isArray(values)) return beyond();
    if (values.length === 0) json.json('[');
    // By index: holes are nulls.
    for (let i = 0; i < values.length; i += 1) {
      json.json(i === 0 ? '[' : ',');
      item(values[i], json);
    }
    json.json(']');
  };
}

/** Refuses null and undefined for a non-null field. */
function required(write: Write): Write {
  return (value, json) => (value === null || value === undefined ? beyond() : write(value, json));
}

function nullable(write: Write): Write {
  return (value, json) => {
    if (value === null || value === undefined) json.json('null');
    else write(value, json);
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && isSettled(value);
}

/** Makes the writers of the operation's objects. */
class Writers {
  constructor(
    private readonly schema: Prepared['schema'],
    private readonly fragments: Record<string, FragmentDefinitionNode>,
  ) {}

  /** @param fields by response name @returns undefined for an abstract type, or a type with `isTypeOf` */
  object(type: GraphQLObjectType, fields: ReadonlyMap<string, readonly FieldNode[]>): Write | undefined {
    if (type.isTypeOf) return undefined;
    const parts: { before: Uint8Array; name: string; write: Write }[] = [];
    for (const [key, nodes] of fields) {
      const name = nodes[0]!.name.value;
      const before = Buffer.from(`${parts.length === 0 ? '{' : ','}${JSON.stringify(key)}:`);
      if (name === '__typename') {
        parts.push({ before, name, write: (_value, json) => json.string(type.name) });
        continue;
      }
      const field = type.getFields()[name];
      const write = field && this.#value(field.type, nodes);
      if (!write) return undefined;
      parts.push({ before, name, write });
    }
    return (source, json) => {
      if (!isRecord(source)) return beyond();
      for (const { before, name, write } of parts) {
        json.bytes(before);
        write(source[name], json);
      }
      json.json('}');
    };
  }

  #value(type: GraphQLOutputType, nodes: readonly FieldNode[]): Write | undefined {
    const inner = isNonNullType(type) ? type.ofType : type;
    const write = this.#there(inner, nodes);
    return write && (isNonNullType(type) ? required(write) : nullable(write));
  }

  #there(type: GraphQLOutputType, nodes: readonly FieldNode[]): Write | undefined {
    if (isLeafType(type)) return leaf(type);
    if (isListType(type)) {
      const item = this.#value(type.ofType, nodes);
      return item && list(item);
    }
    if (!isObjectType(type)) return undefined;
    return this.object(type, collectSubFields(this.schema, this.fragments, {}, type, [...nodes]).fields);
  }
}

/**
 * Returns a writer of a plain operation's states (see `isPlain`), with the same text as graphql-js and JSON, but
 * without intermediate objects: own ranks make thousands of different texts per tick.
 * @returns undefined: its results are left to graphql-js
 */
export function plainTextOf({ schema, document, operationName, operation }: Prepared): PlainText | undefined {
  const type = schema.getSubscriptionType();
  if (!operation || !type || hasDirectives(document) || !isSmall(document, operationName)) return undefined;
  const fragments = Object.fromEntries(fragmentsOf(document));
  const { fields } = collectFields(schema, fragments, {}, type, operation.selectionSet);
  const [name] = [...fields.values()].map(([node]) => node!.name.value);
  const write = new Writers(schema, fragments).object(type, fields);
  if (!write || name === undefined || fields.size !== 1) return undefined;
  const json = new JsonBytes();
  return (state, [before, after]) => {
    json.clear();
    try {
      json.bytes(before);
      write({ [name]: state }, json);
      json.bytes(after);
      return json.text();
    } catch {
      // Also for values that a scalar refuses: graphql-js words the error.
      return undefined;
    }
  };
}
