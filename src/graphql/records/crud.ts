import { Arg, Args, type ClassType, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { IdKind } from '../../base/ids.js';
import { changedById, changeOf } from '../changed-record.js';
import type { PageConnection, SortedRequest } from '../connection.js';
import type { Context } from '../context.js';
import type { NodeSource } from '../node.js';
import { deletionPayload, type PayloadSecret, recordInput, recordPayload } from '../payloads.js';
import { Allow, type Grant } from '../rights.js';
import { IdArg } from '../rules.js';
import { RestText } from '../views.js';
import { type RecordLists, type RootListArgs, rootFilters } from './list.js';

/** The API of one kind of record: `kind` names the fields, e.g. game, games, createGame, updateGame. */
interface CrudShape<F extends object, C, U> {
  kind: IdKind;
  /** See listsOf. */
  lists: RecordLists<F>;
  /** Absent: there is no such mutation. */
  create?: ClassType<C & object>;
  /** Absent: there is no such mutation, nor a deletion. */
  update?: ClassType<U & object>;
  /** Who may use what of it. `remove`, for deletions and restorations, is by default `update`. */
  allow: Record<'read', Grant[]> & Partial<Record<'create' | 'update' | 'remove', Grant[]>>;
  /** True for records that are never deleted, hence never restored. */
  permanent?: boolean;
  /** A member of created records that callers get only then. */
  secret?: PayloadSecret;
  /**
   * Descriptions: `record` for mutations. Without `one`, the module declares the query of a single record itself; `update` is
   * REST's.
   */
  texts: { list: string } & Partial<Record<'one' | 'record' | 'create' | 'update', string>>;
}

/** What is left of REST's text where deletions and restorations are mutations of their own. */
function changesOf(text: string): string {
  const [verbs, rest] = text.split(', deletes or restores');
  return rest === undefined ? text : verbs!.replace(/, (\w+)$/, ' or $1') + rest;
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
  update?(context: Context, id: string, input: U): Promise<R>;
}

/** Returns the resolver class of a kind of record: read one, list, create, update, load by id, restore. */
export function crudOf<R extends object, F extends object, C = never, U extends object = object>(
  type: () => ClassType<R>,
  { kind, lists, create, update, allow, permanent, secret, texts }: CrudShape<F, C, U>,
) {
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  const { read, remove = allow.update } = allow;
  const record = (texts.record ?? '').replace(/\.$/, '');
  const payloadOf = (verb: string, secret?: PayloadSecret) =>
    recordPayload(`${verb}${name}`, kind, type, `${record}.`, secret);
  const isRestored = update && !permanent;

  @Resolver()
  class CrudResolver {
    constructor(private readonly work: Crud<R, F, C, U>) {}

    get node(): NodeSource {
      const { load, update } = this.work;
      const restore = (id: string, context: Context) =>
        update!(context, id, { deleted: false } as unknown as U);
      const source = { kind, allow: read, load: (id: string, context: Context) => load(context, id) };
      return isRestored ? { ...source, restore, allowRestore: remove! } : source;
    }

    one(id: string, context: Context) {
      return this.work.load(context, id);
    }

    list(args: RootListArgs<F>, context: Context) {
      return this.work.list(context, args, rootFilters(args));
    }

    async create(input: C, context: Context) {
      const made = await this.work.create!(context, input);
      return { [kind]: made, ...(secret && { [secret.name]: made[secret.name as keyof R] }) };
    }

    async update(path: { id?: string }, input: U, context: Context) {
      const { id, changes } = changeOf(path, input);
      return { [kind]: await this.work.update!(context, id, changes) };
    }

    async delete({ id }: { id: string }, context: Context) {
      await this.work.update!(context, id, { deleted: true } as unknown as U);
      return { deletedId: id };
    }
  }

  const decorate = (method: string, decorators: MethodDecorator[], ...params: ReturnType<typeof Ctx>[]) => {
    const target = CrudResolver.prototype;
    for (const decorator of decorators) decorator(target, method, {});
    for (const [index, param] of params.entries()) param(target, method, index);
  };
  // Without a grant, the schema does not start.
  const allowing = (grants: Grant[] | undefined): MethodDecorator =>
    grants ? Allow(grants) : () => undefined;
  const input = (type: ClassType, description: string) => Arg('input', () => type, { description });
  if (texts.one) {
    const query = Query(type, { name: kind, description: texts.one });
    decorate('one', [Allow(read), query], IdArg(kind), Ctx());
  }
  const plural = kind.replace(/(?<![aeiou])y$/, 'ie').concat('s');
  const query = Query(() => lists.Connection, { name: plural, description: texts.list });
  decorate(
    'list',
    [Allow(read), query],
    Args(() => lists.RootArgs),
    Ctx(),
  );
  if (create) {
    const Payload = payloadOf('Create', secret);
    const mutation = Mutation(() => Payload, { name: `create${name}`, description: texts.create });
    decorate('create', [allowing(allow.create), mutation], input(create, `${record} to create.`), Ctx());
  }
  if (!update) return CrudResolver;
  const PathArgs = changedById(kind, update);
  const Payload = payloadOf('Update');
  const mutation = Mutation(() => Payload, { name: `update${name}`, description: changesOf(texts.update!) });
  const path = Args(() => PathArgs);
  decorate(
    'update',
    [allowing(allow.update), RestText(texts.update!), mutation],
    path,
    input(update, `${record} and its changes.`),
    Ctx(),
  );
  if (!permanent) {
    const deleted = record.charAt(0).toLowerCase() + record.slice(1);
    const description = `Deletes ${deleted} and everything that belongs to it. \`restore\` brings all of it back.`;
    const DeletePayload = deletionPayload(`Delete${name}`);
    const removal = Mutation(() => DeletePayload, { name: `delete${name}`, description });
    const text = `${record} to delete.`;
    decorate(
      'delete',
      [allowing(remove), removal],
      input(recordInput(`Delete${name}`, kind, text), text),
      Ctx(),
    );
  }
  return CrudResolver;
}
