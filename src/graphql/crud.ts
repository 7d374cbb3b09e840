import { Arg, Args, type ClassType, Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { IdKind } from '../base/ids.js';
import { Allow, type Role } from './access.js';
import type { PageConnection, SortedRequest } from './connection.js';
import type { Context } from './context.js';
import { type RecordLists, type RootListArgs, rootFilters } from './list.js';
import type { NodeSource } from './node.js';
import { IdArg } from './rules.js';

/** The API of one kind of record: `kind` names the fields, e.g. game, games, createGame, updateGame. */
interface CrudShape<F extends object, C, U> {
  kind: IdKind;
  /** See listsOf. */
  lists: RecordLists<F>;
  /** Absent: there is no such mutation. */
  create?: ClassType<C & object>;
  update: ClassType<U & object>;
  /** Default: administrators. */
  roles?: Partial<Record<'read' | 'create' | 'update', Role[]>>;
  /** True for records that are never deleted, hence never restored. */
  permanent?: boolean;
  /** Descriptions. Without `one`, the module declares the query of a single record itself. */
  texts: Record<'record' | 'written' | 'list' | 'update', string> & {
    one?: string;
    create?: string;
    /** Description of the record in a mutation's payload, where it is not `record`. */
    payload?: string;
  };
}

/** The operations behind the fields. */
interface Crud<R, F, C, U> {
  load(context: Context, id: string): Promise<R>;
  list(
    context: Context,
    page: SortedRequest,
    filters: Partial<F> & { accountId?: string | null },
  ): Promise<PageConnection<R>>;
  create?(context: Context, input: C): Promise<R>;
  update(context: Context, id: string, input: U): Promise<R>;
}

/** Returns the resolver class of a kind of record: read one, list, create, update, load by id, restore. */
export function crudOf<R extends object, F extends object, C, U>(
  type: () => ClassType<R>,
  { kind, lists, create, update, roles = {}, permanent, texts }: CrudShape<F, C, U>,
) {
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  const read = roles.read ?? ['admin'];

  @ObjectType(`${name}Payload`, { description: texts.written, simpleResolvers: true })
  class Payload {
    @Field(type, { name: kind, description: texts.payload ?? texts.record })
    record!: R;
  }

  @Resolver()
  class CrudResolver {
    constructor(private readonly work: Crud<R, F, C, U>) {}

    get node(): NodeSource {
      const { load, update } = this.work;
      const restore = (id: string, context: Context) => update(context, id, { deleted: false } as U);
      return { kind, roles: read, load: (id, context) => load(context, id), ...(!permanent && { restore }) };
    }

    one(id: string, context: Context) {
      return this.work.load(context, id);
    }

    list(args: RootListArgs<F>, context: Context) {
      return this.work.list(context, args, rootFilters(args));
    }

    async create(input: C, context: Context) {
      return { [kind]: await this.work.create!(context, input) };
    }

    async update(id: string, input: U, context: Context) {
      return { [kind]: await this.work.update(context, id, input) };
    }
  }

  const decorate = (method: string, decorators: MethodDecorator[], ...params: ReturnType<typeof Ctx>[]) => {
    const target = CrudResolver.prototype;
    for (const decorator of decorators) decorator(target, method, {});
    for (const [index, param] of params.entries()) param(target, method, index);
  };
  const input = (type: ClassType, description: string) => Arg('input', () => type, { description });
  const written = (verb: 'create' | 'update') =>
    Mutation(() => Payload, { name: `${verb}${name}`, description: texts[verb] });
  if (texts.one) {
    const query = Query(type, { name: kind, description: texts.one });
    decorate('one', [Allow(read), query], IdArg(kind), Ctx());
  }
  const plural = kind.replace(/ty$/, 'tie').concat('s');
  const query = Query(() => lists.Connection, { name: plural, description: texts.list });
  decorate(
    'list',
    [Allow(read), query],
    Args(() => lists.RootArgs),
    Ctx(),
  );
  if (create) {
    const allow = Allow(roles.create ?? ['admin']);
    decorate('create', [allow, written('create')], input(create, texts.record), Ctx());
  }
  const allow = Allow(roles.update ?? ['admin']);
  decorate('update', [allow, written('update')], IdArg(kind), input(update, 'The changes.'), Ctx());
  return CrudResolver;
}
