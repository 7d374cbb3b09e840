import { Args, type ClassType, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import type { PageConnection, SortedRequest } from '../connection.js';
import type { Context } from '../context.js';
import { ForAdministrators } from '../rights.js';
import type { ListArgs, RecordLists } from './list.js';

const NOT_ADMINISTERED = 'Null for callers who do not administer it.';

interface ListBelow<P, R, F extends object, O> {
  lists: RecordLists<F>;
  read(context: Context, page: SortedRequest, filters: Partial<F> & O): Promise<PageConnection<R>>;
  /** The filters that the record stands for. */
  own(record: P): O;
  description: string;
  /** Others who see the record get null. */
  forAdministrators?: boolean;
}

/** Returns the resolver of a list below a record, which has the order and the filters of all lists of its kind. */
export function listBelow<P extends object, R, F extends object, O extends object>(
  parent: ClassType<P>,
  name: string,
  { lists, read, own, description, forAdministrators = false }: ListBelow<P, R, F, O>,
): object {
  const text = forAdministrators ? `${description} ${NOT_ADMINISTERED}` : description;

  @Resolver(parent)
  class BelowResolver {
    // The schema builder tells the fields of a type apart by the names of their methods.
    @FieldResolver(() => lists.Connection, { description: text, nullable: forAdministrators })
    [name](@Root() record: P, @Args(() => lists.Args) args: ListArgs<F>, @Ctx() context: Context) {
      return read(context, args, filtersBelow(args, own(record)));
    }
  }
  if (forAdministrators) ForAdministrators()(BelowResolver.prototype, name, {});
  return new BelowResolver();
}

/**
 * The filters of a list below a record.
 * @param own those that the record stands for @throws DomainError VALIDATION_FAILED when the filter names another record
 */
export function filtersBelow<F, O extends object>({ filter }: ListArgs<F>, own: O): Partial<F> & O {
  const named = (filter ?? {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries(own)) {
    if (named[name] != null && named[name] !== value) {
      throw invalidField(['filter', name], 'must be left out, or be that of the record above');
    }
  }
  return { ...named, ...own } as Partial<F> & O;
}
