import type { Knex } from 'knex';
import { ArgsType, type ClassType, Extensions, Field, Int, ObjectType } from 'type-graphql';
import { type Page, type PageRequest, readPage } from '../db/keyset.js';
import { type BareRow, fromRow, type RowClass, type Rows } from '../db/row.js';
import {
  type Direction,
  type Filters,
  type Order,
  parseSort,
  type Sortable,
  sortPattern,
} from '../db/sort.js';
import { HINTS } from './rules.js';
import { FailsAlone, Only } from './views.js';

/** Arguments of every list: Relay's four and the order. */
@ArgsType()
export class PageArgs implements PageRequest {
  @Field(() => Int, {
    nullable: true,
    description: 'Returns the first n records, 1 to 100. Default: 20, unless `last` is set.',
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'With `first`: records after this cursor.' })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: 'Returns the last n records, 1 to 100.' })
  last?: number | null;

  @Field(() => String, { nullable: true, description: 'With `last`: records before this cursor.' })
  before?: string | null;
}

/** The text of an order. */
export const SORT = {
  nullable: true,
  description:
    'Sort order as `field:direction` pairs, e.g. `name:asc,created_at:desc`. `id:asc` is always appended. ' +
    'Default: `created_at:desc,id:asc`. For an unknown field, the error lists the valid ones.',
};

/** Page arguments of scores, whose order can be chosen. */
@ArgsType()
export class SortedPageArgs extends PageArgs {
  @Field(() => String, SORT)
  sort?: string | null;
}

/** A page of a list whose order can be chosen: by REST as text, by GraphQL as parts. */
export interface SortedRequest extends PageRequest {
  sort?: string | null;
  orderBy?: { field: string; direction: Direction }[];
}

/** @throws DomainError INVALID_SORT */
export function orderOf(sortable: Sortable, { sort, orderBy }: SortedRequest): Order {
  const parts = orderBy?.map(({ field, direction }) => `${field}:${direction}`);
  return parseSort(sortable, sort ?? (parts?.join() || undefined));
}

/** Documents the fields that a list can be sorted by, at its `sort`. */
export function SortedBy(sortable: Sortable): PropertyDecorator {
  return Extensions({ [`${HINTS}sort`]: { pattern: sortPattern(sortable) } });
}

/** Records of a list are counted up to this number. */
const MOST_COUNTED = 1_000;

@ObjectType('Count', { description: 'A number of records.', simpleResolvers: true })
export class RecordCount {
  /** @param count counts up to a number */
  static async of(count: (most: number) => number | Promise<number>): Promise<RecordCount> {
    const counted = await count(MOST_COUNTED + 1);
    return { value: Math.min(counted, MOST_COUNTED), isExact: counted <= MOST_COUNTED };
  }

  @Field(() => Int, {
    description: `The number. Counting stops at ${MOST_COUNTED.toLocaleString('en')}.`,
  })
  value!: number;

  @Field(() => Boolean, { description: 'False if there are more.' })
  isExact!: boolean;
}

@ObjectType({ description: 'Position of a page in its list.', simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: 'True if records follow this page.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'True if records precede this page.' })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the first edge. Pass it as `before` to go back. Null on an empty page.',
  })
  startCursor!: string | null;

  /** The position of `startCursor`; REST's one `cursor` parameter takes its direction from the cursor. */
  @Only('rest')
  @Field(() => String, { nullable: true, description: 'Cursor of the first record, to go back.' })
  backCursor!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the last edge. Pass it as `after` to continue. Null on an empty page.',
  })
  endCursor!: string | null;
}

/** A page as a connection. Cursors and probes are computed only for requested fields. */
export class PageConnection<T> {
  constructor(protected readonly page: Page<T>) {}

  /** Returns the page with the records as the caller sees them. */
  map(shown: (record: T) => T): PageConnection<T> {
    return new PageConnection({ ...this.page, items: this.page.items.map(shown) });
  }

  get nodes(): T[] {
    return this.page.items;
  }

  get edges(): { cursor: () => string; node: T }[] {
    return this.page.items.map((node, index) => ({ cursor: () => this.page.cursor(index, 'f'), node }));
  }

  totalCount(): Promise<RecordCount> {
    return RecordCount.of((most) => this.page.count(most));
  }

  get pageInfo() {
    const { page } = this;
    const at = (index: number, direction: 'f' | 'b') =>
      page.items.length > 0 ? page.cursor(index, direction) : null;
    return {
      hasNextPage: () => page.hasNext(),
      hasPreviousPage: () => page.hasPrevious(),
      startCursor: () => at(0, 'f'),
      backCursor: () => at(0, 'b'),
      endCursor: () => at(page.items.length - 1, 'f'),
    };
  }
}

/** A list as a module declares it: sort columns, rows, filters. */
interface RecordList<R extends BareRow> {
  type: RowClass<R>;
  sortable: Sortable;
  /** All rows the caller may see that pass the filters. */
  rows: Rows<R>;
  /** The effective filters by API name, plain JSON: a cursor is valid for exactly these. */
  filters: Filters;
}

/** Reads one page of records. @throws DomainError INVALID_SORT, INVALID_CURSOR, CURSOR_MISMATCH, VALIDATION_FAILED */
export async function readRecords<R extends BareRow>(
  db: Knex,
  { type, sortable, rows, filters }: RecordList<R>,
  request: SortedRequest,
): Promise<PageConnection<R>> {
  const page = await readPage(
    { db, base: rows.toKnexQuery(), order: orderOf(sortable, request), filters, request },
    (page) => page.map((row) => fromRow(type, row)),
  );
  return new PageConnection(page);
}

/**
 * The GraphQL types `<name>Connection` and `<name>Edge` of a record's type. Resolvers return a {@link PageConnection}
 * for them.
 */
export function connectionOf<T extends object>(type: () => ClassType<T>, name: string) {
  @ObjectType(`${name}Edge`, { description: `One ${name} with its cursor.`, simpleResolvers: true })
  class Edge {
    @Field(() => String, {
      description: 'Position of this record. Pass it as `after` or `before` to continue from here.',
    })
    cursor!: string;

    @Field(type, { description: 'The record.' })
    node!: T;
  }

  @ObjectType(`${name}Connection`, {
    description: `A page of ${name} records.`,
    simpleResolvers: true,
  })
  class Connection {
    @Field(() => [Edge], { description: 'The records with their cursors.' })
    edges!: Edge[];

    @Field(() => [type()], { description: 'The records alone.' })
    nodes!: T[];

    @Field(() => PageInfo, { description: 'Position of the page in its list.' })
    pageInfo!: PageInfo;

    @FailsAlone()
    @Field(() => RecordCount, {
      complexity: 20,
      description: 'Number of records in the whole list, counted only if requested.',
    })
    totalCount!: RecordCount;
  }
  return Connection;
}
