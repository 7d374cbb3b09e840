import {
  Arg,
  Ctx,
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
import { Allow, checkAccess, hasRole, type Role } from './access.js';
import type { Context } from './context.js';

@InterfaceType({ description: 'Anything with an id.' })
export abstract class Node {
  @Field(() => ID, { description: 'The prefix of its kind, an underscore and a UUID.', simple: true })
  id!: string;
}

/** Loads and restores records of one kind by id. Every module provides one for each of its kinds. */
export interface NodeSource {
  kind: IdKind;
  roles: Role[];
  /** The roles that may read it where another record refers to it; default: `roles`. */
  below?: Role[];
  /**
   * Loads with the rules of the kind's single query: foreign records throw FORBIDDEN, missing ones NOT_FOUND. Must
   * return an instance of the GraphQL type's class: the interface resolves its type by it.
   */
  load(id: string, context: Context): Promise<object>;
  /** Restores a deleted record. Kinds without it cannot be restored. */
  restore?(id: string, context: Context): Promise<object>;
}

@InputType({ description: 'The record to restore.' })
class RestoreInput {
  @Field(() => ID, { description: 'The id of the deleted record, of any kind.' })
  id!: string;
}

@ObjectType({ description: 'A record that was restored.', simpleResolvers: true })
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

  @Allow(['admin', 'client'])
  @Query(() => Node, { nullable: true, description: 'Any record by its id. Null if it does not exist.' })
  node(@Arg('id', () => ID, { description: 'The id, of any kind.' }) id: string, @Ctx() context: Context) {
    return this.find(['id'], id, context);
  }

  @Allow(['admin', 'client'])
  @Query(() => [Node], {
    nullable: 'items',
    description: 'Up to 100 records by their ids, in the same order. Null for ids that do not exist.',
  })
  nodes(
    @Arg('ids', () => [ID], { description: 'The ids, of any kinds.' }) ids: string[],
    @Ctx() context: Context,
  ) {
    if (ids.length > MOST_IDS)
      throw invalidField(['ids'], `must not have more than ${MOST_IDS} ids`, 'length');
    return ids.map((id, index) => this.find(['ids', index], id, context));
  }

  @Allow('admin')
  @Mutation(() => RestorePayload, {
    description: 'Restores a deleted record and everything that was deleted with it.',
  })
  async restore(
    @Arg('input', () => RestoreInput, { description: 'The record.' }) { id }: RestoreInput,
    @Ctx() context: Context,
  ) {
    const kind = kindOf(id);
    if (!kind) throw invalidField(['id'], 'must be an id of this service, like brd_<uuid>', 'id');
    const source = this.#sources.get(kind);
    if (!source?.restore) throw new DomainError('BAD_REQUEST', 'Records of this kind cannot be restored.');
    checkAccess(source.roles, context, undefined);
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
    checkAccess(source.roles, context, undefined);
    try {
      return await source.load(id, context);
    } catch (error) {
      if (error instanceof DomainError && error.code === notFound('').code) return null;
      throw error;
    }
  }

  /** Returns a record that another one refers to; null: there is none that the caller may read. */
  async see(id: string, context: Context): Promise<object | null> {
    const kind = kindOf(id);
    const source = kind && this.#sources.get(kind);
    if (!source || !hasRole(source.below ?? source.roles, context)) return null;
    try {
      return await source.load(id, context);
    } catch (error) {
      if (error instanceof DomainError && ['NOT_FOUND', 'FORBIDDEN'].includes(error.code)) return null;
      throw error;
    }
  }
}
