import { ArgsType, type ClassType, Field, ID, InputType } from 'type-graphql';
import type { Sortable } from '../../db/sort.js';
import { connectionOf, PageArgs, SORT, SortedBy, type SortedRequest } from '../connection.js';
import { enumOf } from '../enums.js';
import { Nested } from '../input-checks.js';
import { IsIdOf } from '../rules.js';
import { DateTime } from '../scalars.js';
import { Only } from '../views.js';

const Direction = enumOf('OrderDirection', 'Direction of a sort order. Nulls come last in both.', {
  asc: 'Smallest or earliest first.',
  desc: 'Largest or latest first.',
});
@InputType({ description: 'A range of time. It is open where a bound is absent.' })
export class DateTimeRange {
  @Field(() => DateTime, { nullable: true, description: 'Later than this, exclusive.' })
  after?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Earlier than this, exclusive.' })
  before?: Date | null;
}

/** Adds `isDeleted` to filters of records that can be restored. */
export const IS_DELETED = {
  defaultValue: false,
  description: 'True: only deleted records, which can be restored. For administrators only.',
};

/** Arguments of a list below a record. */
export interface ListArgs<F> extends SortedRequest {
  filter?: F | null;
}

/** Arguments of a list that is a field of Query. */
export interface RootListArgs<F> extends ListArgs<F> {
  accountId?: string | null;
}

interface ListShape<F extends object> {
  sortable: Sortable;
  /** Its input type; its fields are the same wherever the list is. */
  filter?: ClassType<F>;
  /** Description of a root list's `accountId`; absent: it has none. */
  account?: string;
}

/** The types of one kind of record's lists. */
export interface RecordLists<F extends object> {
  Connection: ClassType;
  /** Page and order alone. */
  PageArgs: ClassType<SortedRequest>;
  Args: ClassType<ListArgs<F>>;
  RootArgs: ClassType<RootListArgs<F>>;
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Makes the types of a record's lists from one table: connection, filter, order. REST has the order as text, `sort`. */
export function listsOf<R extends object, F extends object = object>(
  type: () => ClassType<R>,
  name: string,
  { sortable, filter, account }: ListShape<F>,
): RecordLists<F> {
  const fields = enumOf(
    `${name}OrderField`,
    `The fields that ${name} records can be sorted by.`,
    Object.fromEntries(Object.keys(sortable).map((field) => [field, `By \`${camelCase(field)}\`.`])),
  );

  @InputType(`${name}Order`, { description: `One part of the sort order of ${name} records.` })
  class Order {
    @Field(() => fields as never, { description: 'The field to sort by.' })
    field!: string;

    @Field(() => Direction as never, { defaultValue: Direction.ASC, description: 'Ascending or descending.' })
    direction!: 'asc' | 'desc';
  }

  @ArgsType()
  class OrderedArgs extends PageArgs {
    @Only('graphql')
    @Field(() => [Order], {
      defaultValue: [{ field: 'created_at', direction: Direction.DESC }],
      description: 'Sort order, most significant part first. Ties are in ascending order of `id`.',
    })
    orderBy!: Order[];
  }

  @ArgsType()
  class Args extends OrderedArgs {
    filter?: F | null;
  }
  if (filter) {
    Nested()(Args.prototype, 'filter');
    Field(() => filter, { nullable: true, description: 'Only records that match the whole filter.' })(
      Args.prototype,
      'filter',
    );
  }

  @ArgsType()
  class RootArgs extends Args {
    accountId?: string | null;

    @Only('rest')
    @SortedBy(sortable)
    @Field(() => String, SORT)
    sort?: string | null;
  }
  if (account !== undefined) {
    IsIdOf('account')(RootArgs.prototype, 'accountId');
    Field(() => ID, { nullable: true, description: account })(RootArgs.prototype, 'accountId');
  }
  return { Connection: connectionOf(type, name), PageArgs: OrderedArgs, Args, RootArgs };
}

/** The filters of a root list. */
export function rootFilters<F>({
  accountId,
  filter,
}: RootListArgs<F>): Partial<F> & { accountId?: string | null } {
  return { ...(filter as F), accountId };
}
