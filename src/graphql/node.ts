import { type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import {
  Arg,
  Ctx,
  Extensions,
  Field,
  ID,
  InputType,
  InterfaceType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql';
import { DomainError, invalidField, notFound } from '../base/errors.js';
import { type IdKind, kindOf } from '../base/ids.js';
import { checkAccess, hasRole } from './access.js';
import type { Context } from './context.js';
import { Allow, type Grant } from './rights.js';

@InterfaceType({ description: 'A record that `node` finds by its id.' })
export abstract class Node {
  @Field(() => ID, {
    description: 'The id: the prefix of its kind, an underscore and a UUID, e.g. `brd_<uuid>`.',
    simple: true,
  })
  id!: string;
}

/** Loads and restores records of one kind by id. Every module provides one for each of its kinds. */
export interface NodeSource {
  kind: IdKind;
  /** Who may read it. */
  allow: Grant[];
  /** Who may read it where another record refers to it; default: `allow`. */
  allowReference?: Grant[];
  /**
   * Loads with the rules of the kind's single query: foreign records throw FORBIDDEN, missing ones NOT_FOUND. Must
   * return an instance of the GraphQL type's class: the interface resolves its type by it.
   */
  load(id: string, context: Context): Promise<object>;
  /** Restores a deleted record, with the rights of its deletion. Kinds without it cannot be restored. */
  allowRestore?: Grant[];
  restore?(id: string, context: Context): Promise<object>;
}

@InputType({ description: 'The record to restore.' })
class RestoreInput {
  @Field(() => ID, { description: 'The id of the deleted record, of any kind.' })
  id!: string;
}

@ObjectType({ description: 'The result of `restore`.', simpleResolvers: true })
class RestorePayload {
  @Field(() => Node, { description: 'The record.' })
  node!: Node;
}

const MOST_IDS = 100;

@Resolver()
export class NodeResolver {
  readonly #sources: Map<IdKind, NodeSource>;

  constructor(sources: NodeSource[]) {
    this.#sources = new Map(sources.map((source) => [source.kind, source]));
  }

  @Allow(['own', 'client'])
  @Query(() => Node, {
    nullable: true,
    description: 'Any record by its id. Null if it does not exist or was deleted.',
  })
  node(@Arg('id', () => ID, { description: 'The id, of any kind.' }) id: string, @Ctx() context: Context) {
    return this.find(['id'], id, context);
  }

  @Allow(['own', 'client'])
  @Query(() => [Node], {
    nullable: 'items',
    description:
      'Up to 100 records by their ids, in the same order. Null for those that do not exist or were deleted.',
  })
  nodes(
    @Arg('ids', () => [ID], { description: 'The ids, of any kind.' }) ids: string[],
    @Ctx() context: Context,
  ) {
    if (ids.length > MOST_IDS)
      throw invalidField(['ids'], `must not have more than ${MOST_IDS} ids`, 'length');
    return ids.map((id, index) => this.find(['ids', index], id, context));
  }

  @Allow(['moderate', 'configure', 'people'])
  @Mutation(() => RestorePayload, {
    description: 'Restores a deleted record and everything that was deleted with it.',
  })
  async restore(
    @Arg('input', () => RestoreInput, { description: 'The record to restore.' }) { id }: RestoreInput,
    @Ctx() context: Context,
  ) {
    const kind = kindOf(id);
    if (!kind) throw invalidField(['id'], 'must be an id of this service, like brd_<uuid>', 'id');
    const source = this.#sources.get(kind);
    if (!source?.restore) throw new DomainError('BAD_REQUEST', 'Records of this kind cannot be restored.');
    checkAccess(source.allowRestore ?? [], context, undefined);
    return { node: await source.restore(id, context) };
  }

  /**
   * Returns a record of any kind; null: there is none.
   * @param loc of the id in the request, for the error of a malformed one
   * @throws DomainError FORBIDDEN, VALIDATION_FAILED
   */
  async find(loc: (string | number)[], id: string, context: Context): Promise<object | null> {
    const kind = kindOf(id);
    if (!kind) throw invalidField(loc, 'must be an id of this service, like brd_<uuid>', 'id');
    const source = this.#sources.get(kind);
    if (!source) return null;
    checkAccess(source.allow, context, undefined);
    try {
      return await source.load(id, context);
    } catch (error) {
      if (error instanceof DomainError && error.code === notFound('').code) return null;
      throw error;
    }
  }

  /** Returns a record that another one refers to; null: there is none that the caller may read. */
  async findReferenced(id: string, context: Context): Promise<object | null> {
    const kind = kindOf(id);
    const source = kind && this.#sources.get(kind);
    if (!source || !hasRole(source.allowReference ?? source.allow, context)) return null;
    try {
      return await source.load(id, context);
    } catch (error) {
      if (error instanceof DomainError && ['NOT_FOUND', 'FORBIDDEN'].includes(error.code)) return null;
      throw error;
    }
  }
}

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
export const NOT_OTHER_GAMES = 'Null for game clients of other games.';
export const NOT_FOR_VISITORS = 'Null for callers who see published boards only.';

/**
 * Adds `x` beside `xId`, for each record named: the record with that id; null where it is deleted, or the caller may not
 * read it ({@link RecordReader}).
 */
export function references(record: RecordClass, to: Readonly<Record<string, RecordClass | Reference>>): void {
  for (const [name, reference] of Object.entries(to)) {
    const {
      type,
      nullable = true,
      ...text
    } = typeof reference === 'function' ? { type: reference } : reference;
    // Not the property of that name, which may be the id's column.
    const key = `reference ${name}`;
    Field(() => type as never, { name, nullable })(record.prototype as object, key);
    Extensions({ [REFERENCE]: text })(record.prototype as object, key);
  }
}

/** Returns a record that another one refers to; null: there is none that the caller may read. */
type RecordReader = (id: string, context: Context) => Promise<object | null>;

type Reading = GraphQLFieldResolver<unknown, Context>;

/** Gives each field of {@link references} its resolver and its description. */
export function resolveReferences(schema: GraphQLSchema, read: RecordReader): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    const fields = type.getFields();
    for (const field of Object.values(fields)) {
      const text = field.extensions[REFERENCE] as Partial<Reference> | undefined;
      if (!text) continue;
      const id = fields[`${field.name}Id`];
      if (!id) throw new Error(`${type.name}.${field.name} has no id beside it`);
      const idOf = (id.resolve ?? ((source) => (source as Record<string, unknown>)[id.name])) as Reading;
      field.resolve = async (source, args, context: Context, info) => {
        const named = (await idOf(source, args, context, info)) as string | null;
        return named === null ? null : read(named, context);
      };
      const { description = id.description, note } = text;
      field.description = note ? `${description} ${note}` : description;
    }
  }
}
