import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { HINTS } from '../../graphql/rules.js';
import { memberName, snakeCase, type TextExtensions } from '../spelling.js';
import { withExample } from './examples.js';
import { ANY_ID, type JsonSchema } from './json-schema.js';

const SCALARS: Record<string, JsonSchema> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  SafeInt: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  ConfigurationJSON: { type: 'object', additionalProperties: true },
  JSONObject: { type: 'object', additionalProperties: true },
  // Text, though JSON's booleans are read as well: generators of clients leave out operations whose enums mix types.
  TestFilter: { type: 'string', enum: ['true', 'false', 'all'] },
  TagFilter: { type: 'string', pattern: '^[a-z][a-z0-9_]*:[^:,]+(,[a-z][a-z0-9_]*:[^:,]+)*$' },
  ViewNames: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,31}(,[a-z][a-z0-9_]{0,31})*$' },
};

/**
 * Converts the GraphQL names in a description to REST's spelling: `shortCode` and `REVOKED` in backticks become
 * `short_code` and `revoked`.
 */
export function restWords(description: string | null | undefined): string {
  return (description ?? '').replace(/`([A-Za-z]+(?:_[A-Z]+)*)`/g, (_whole, word: string) =>
    /^[A-Z_]+$/.test(word) ? `\`${word.toLowerCase()}\`` : `\`${snakeCase(word)}\``,
  );
}

/** Postgres stores no NUL, which JSON Schema permits in text. */
export const NO_NUL = '^[^\\u0000]*$';

/** The years that date-times of requests may have (graphql/scalars.ts). */
const SERVED_YEARS = '^(19[7-9]\\d|[2-9]\\d{3})-';

/** Adds to the schema of an input that its value can be stored. */
function storable(schema: JsonSchema): JsonSchema {
  const { type, format, enum: values } = schema;
  if (format === 'date-time') return { ...schema, pattern: SERVED_YEARS };
  if (type === 'object' && schema.additionalProperties)
    return { ...schema, propertyNames: { pattern: NO_NUL } };
  return type === 'string' && !format && !values ? { ...schema, pattern: NO_NUL } : schema;
}

/** The same schema, or null. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, $ref } = schema;
  if ($ref !== undefined || typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  };
}

/** Schemas shared by several places, by name; collected while the document is generated. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** Returns a reference to the schema of this name, which is made at its first use. */
  shared(name: string, make: () => JsonSchema): JsonSchema {
    if (!(name in this.schemas)) {
      // Registered before it is made: a type may contain itself.
      this.schemas[name] = {};
      this.schemas[name] = make();
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Returns the schema of an input. @param notNull true if it may be absent, but not null */
  ofInput(type: GraphQLInputType, notNull = false): JsonSchema {
    const schema = storable(this.#bareInput(isNonNullType(type) ? type.ofType : type));
    return notNull || isNonNullType(type) ? schema : orNull(schema);
  }

  /** Without null, which query parameters cannot express. */
  #bareInput(type: GraphQLInputType): JsonSchema {
    // Null in a list is a fault; where the type allows it, the item's own.
    if (isListType(type)) return { type: 'array', items: this.ofInput(type.ofType, true) };
    if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
    if (!isInputObjectType(type)) return scalar(type);
    return this.shared(type.name.replace(/Input$/, ''), () => ({
      type: 'object',
      ...described(type.description),
      ...this.members(
        Object.values(type.getFields()).map((field) => ({
          name: memberName(field),
          schema: withExample(type.name, memberName(field), {
            ...withHints(this.ofInput(field.type, isNotNull(field)), hintsOf(field)),
            ...described(field.description),
            ...initial(field),
          }),
          required: isNonNullType(field.type) && field.defaultValue === undefined,
        })),
      ),
    }));
  }

  ofQuery(type: GraphQLInputType): JsonSchema {
    return storable(this.#bareInput(isNonNullType(type) ? type.ofType : type));
  }

  members(members: { name: string; schema: JsonSchema; required: boolean }[]): JsonSchema {
    const required = members.filter((member) => member.required).map(({ name }) => name);
    return {
      properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
      ...(required.length > 0 && { required }),
    };
  }

  /** Returns the schema of an operation's selection; each named fragment becomes a shared schema. */
  ofSelection(
    type: GraphQLObjectType,
    set: SelectionSetNode,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  ): JsonSchema {
    const [only, ...others] = set.selections;
    if (only?.kind === Kind.FRAGMENT_SPREAD && others.length === 0) {
      const fragment = fragments.get(only.name.value)!;
      return this.shared(fragment.name.value, () => this.#object(type, fragment.selectionSet, fragments));
    }
    return this.#object(type, set, fragments);
  }

  #object(
    type: GraphQLObjectType,
    set: SelectionSetNode,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  ): JsonSchema {
    const fields = fieldsOf(set, fragments).map((node) => {
      const field = type.getFields()[node.name.value]!;
      const name = node.alias?.value ?? node.name.value;
      const absent = field.extensions.absentIfNull === true;
      const shown = absent
        ? this.#bareOutput(getNullableType(field.type), node, fragments)
        : this.#ofOutput(field.type, node, fragments);
      const schema = { ...shown, ...described(field.description) };
      return { name, schema: withExample(type.name, name, schema), required: !absent };
    });
    return { type: 'object', ...described(type.description), ...this.members(fields) };
  }

  #ofOutput(
    type: GraphQLOutputType,
    node: FieldNode,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  ): JsonSchema {
    if (!isNonNullType(type)) return orNull(this.#bareOutput(type, node, fragments));
    return this.#bareOutput(type.ofType, node, fragments);
  }

  #bareOutput(
    type: GraphQLOutputType,
    node: FieldNode,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  ): JsonSchema {
    if (isListType(type)) return { type: 'array', items: this.#ofOutput(type.ofType, node, fragments) };
    if (isObjectType(type)) return this.ofSelection(type, node.selectionSet!, fragments);
    const named = getNamedType(type);
    if (named.name === 'ID') return { type: 'string', pattern: ANY_ID };
    return isInputType(type) ? this.#bareInput(getNullableType(type)) : scalar(named);
  }
}

/** True if an input's field is marked with `NotNull` (graphql/rules.ts). */
export function isNotNull({ extensions }: Pick<GraphQLInputField, 'extensions'>): boolean {
  return extensions.notNull === true;
}

/** Returns the JSON Schema hints of an input field's rules (`Rule` in graphql/rules.ts). */
export function hintsOf({ extensions }: Pick<GraphQLInputField, 'extensions'>): JsonSchema {
  const hints = Object.entries(extensions).filter(([name]) => name.startsWith(HINTS));
  return Object.assign({}, ...hints.map(([, schema]) => schema)) as JsonSchema;
}

/** Adds hints to a schema, also to that of a list's items. */
export function withHints(schema: JsonSchema, { items, ...hints }: JsonSchema): JsonSchema {
  const below = items !== undefined && {
    items: { ...(schema.items as JsonSchema), ...(items as JsonSchema) },
  };
  return { ...schema, ...hints, ...below };
}

function scalar(type: GraphQLNamedType): JsonSchema {
  const { texts }: TextExtensions = type.extensions;
  const schema = texts ? { type: 'string', enum: texts } : SCALARS[type.name];
  if (!schema) throw new Error(`How JSON shows the scalar ${type.name} is not known: add it to SCALARS`);
  return schema;
}

function fieldsOf(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FieldNode[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet, fragments);
    return fieldsOf(fragments.get(selection.name.value)!.selectionSet, fragments);
  });
}

function described(description: string | null | undefined): { description?: string } {
  const text = restWords(description);
  return text ? { description: text } : {};
}

function initial({ defaultValue }: { defaultValue?: unknown }): { default?: unknown } {
  return defaultValue === undefined ? {} : { default: defaultValue };
}
