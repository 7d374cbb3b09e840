import { type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { Extensions, Field } from 'type-graphql';
import type { Context } from './context.js';

const REFERENCE = 'reference';

// Abstract for `Node`.
type RecordClass = abstract new (...args: never[]) => object;

interface Reference {
  type: RecordClass;
  /** False: the record is never deleted alone, and all who read the reference may read it. */
  nullable?: boolean;
  /** Default: the description of its id. */
  description?: string;
  /** Who gets null, if the description of the id does not say it. */
  note?: string;
}

export const NOT_FOR_CLIENTS = 'Null for game clients.';
export const NOT_FOR_VISITORS = 'Null for callers who see published boards only.';

/**
 * Adds `x` beside `xId`, for each record named: the record with that id; null where it is deleted, or the caller may not
 * read it ({@link RecordReader}).
 */
export function references(of: RecordClass, to: Readonly<Record<string, RecordClass | Reference>>): void {
  for (const [name, reference] of Object.entries(to)) {
    const {
      type,
      nullable = true,
      ...text
    } = typeof reference === 'function' ? { type: reference } : reference;
    // Not the property of that name, which may be the id's column.
    const key = `reference ${name}`;
    Field(() => type as never, { name, nullable })(of.prototype as object, key);
    Extensions({ [REFERENCE]: text })(of.prototype as object, key);
  }
}

/** Returns a record that another one refers to; null: there is none that the caller may read. */
type RecordReader = (id: string, context: Context) => Promise<object | null>;

type Resolver = GraphQLFieldResolver<unknown, Context>;

/** Gives each field of {@link references} its resolver and its description. */
export function resolveReferences(schema: GraphQLSchema, read: RecordReader): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    const fields = type.getFields();
    for (const field of Object.values(fields)) {
      const text = field.extensions[REFERENCE] as Partial<Reference> | undefined;
      if (!text) continue;
      const id = fields[`${field.name}Id`];
      if (!id) throw new Error(`${type.name}.${field.name} has no id beside it`);
      const idOf = (id.resolve ?? ((source) => (source as Record<string, unknown>)[id.name])) as Resolver;
      field.resolve = async (source, args, context: Context, info) => {
        const named = (await idOf(source, args, context, info)) as string | null;
        return named === null ? null : read(named, context);
      };
      const { description = id.description, note } = text;
      field.description = note ? `${description} ${note}` : description;
    }
  }
}
