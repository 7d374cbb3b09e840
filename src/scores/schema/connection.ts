import { Extensions, Field, Float, Int, ObjectType } from 'type-graphql';
import type { SortDirection } from '../../boards/board/board.js';
import { PageInfo, RecordCount } from '../../graphql/connection.js';
import type { RememberedExtensions } from '../../graphql/engine/json-parts.js';
import { Only } from '../../graphql/views.js';
import { Score } from '../../rankings/score.js';
import { Entry } from '../standings/entry.js';
import { type Count, Ranking } from '../standings/ranking.js';

@ObjectType({ description: 'One entry with its cursor.', simpleResolvers: true })
class EntryEdge {
  @Field(() => String, {
    description: 'Position of this entry. Pass it as `after` or `before` to continue from here.',
  })
  cursor!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Rank among the players selected with `among`, starting at 1. Null without `among`.',
  })
  amongRank!: number | null;

  @Field(() => Entry, { description: 'The entry.' })
  node!: Entry;
}

@ObjectType({ description: 'The place that a value would get in a ranking.', simpleResolvers: true })
class HypotheticalEntry {
  @Field(() => Float, { description: 'The value that was given.' })
  value!: number;

  @Field(() => Int, { description: 'The rank it would get.' })
  rank!: number;

  @Field(() => Int, { description: 'The rank that would be shown.' })
  displayRank!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'The rank among the players selected with `among`. Null without `among`.',
  })
  amongRank!: number | null;

  @Field(() => Int, { description: 'Number of entries on the page above it.' })
  index!: number;
}

/** A page without content. */
const EMPTY_CONNECTION = {
  edges: [],
  nodes: [],
  scores: [],
  rows: [],
  pageInfo: {
    hasNextPage: false,
    hasPreviousPage: false,
    startCursor: null,
    backCursor: null,
    endCursor: null,
  },
  totalCount: 0,
  hypothetical: null,
};

/**
 * Readers that get the same array of scores get the same page: ranks and cursors belong to the array's version of
 * the board.
 */
@Extensions({ remembered: { by: 'shared', empty: EMPTY_CONNECTION } } satisfies RememberedExtensions)
@ObjectType({ description: 'A page of a ranking.', simpleResolvers: true })
export class EntryConnection {
  @Field(() => [EntryEdge], { description: 'The entries with their cursors.' })
  edges!: EntryEdge[];

  @Field(() => [Entry], { description: 'The entries alone.' })
  nodes!: Entry[];

  @Only('rest')
  @Field(() => [Score], { description: "The rows of a board's own ranking, a placeholder among them." })
  scores!: Score[];

  @Only('rest')
  @Field(() => [Entry], {
    nullable: true,
    description:
      'With `view`: the rows of its ranking. They are no scores, which have one rank and value each. Null without `view`.',
  })
  rows!: Entry[] | null;

  @Field(() => PageInfo, { description: 'Position of the page in its list.' })
  pageInfo!: PageInfo;

  @Field(() => Int, {
    description: 'Number of entries in the whole ranking, whatever limits the page, and when it was read.',
  })
  totalCount!: number;

  @Field(() => HypotheticalEntry, {
    nullable: true,
    description: 'The place that the value of `around` would get. Otherwise null.',
  })
  hypothetical!: HypotheticalEntry | null;
}

/** A page of scores as it is read: values, or functions that are called when the value is requested. */
export class ScorePage {
  constructor(
    readonly nodes: Score[],
    readonly cursor: (index: number) => string,
    readonly entryCount: Count,
    readonly pageInfo: {
      hasNextPage: () => boolean | Promise<boolean>;
      hasPreviousPage: () => boolean | Promise<boolean>;
      startCursor: () => string | null;
      backCursor: () => string | null;
      endCursor: () => string | null;
    },
    /** True if later readers get the same array of scores: serialized pages can be cached by it. */
    readonly cached = false,
    /** Counts a list that is not the whole ranking, up to a number. */
    private readonly listed?: (most: number) => number | Promise<number>,
  ) {}

  /** Number of scores in the list. */
  async totalCount(): Promise<RecordCount> {
    const { entryCount } = this;
    const ranked = () => (typeof entryCount === 'number' ? entryCount : entryCount());
    return RecordCount.of(this.listed ?? ranked);
  }

  get edges() {
    return this.nodes.map((node, index) => ({ node, cursor: () => this.cursor(index) }));
  }

  /** Returns the page with the scores as another caller sees them. */
  showing(nodes: Score[]): ScorePage {
    return new ScorePage(nodes, this.cursor, this.entryCount, this.pageInfo, this.cached, this.listed);
  }
}

/** Resolver result for an {@link EntryConnection}. */
export class EntryPage {
  #rows: Entry[] | undefined;

  constructor(
    private readonly page: ScorePage,
    private readonly ranking: Ranking,
  ) {}

  /** The array whose identity stands for the page. */
  get shared(): Score[] {
    return this.page.nodes;
  }

  get scores(): Score[] {
    return this.page.nodes;
  }

  get rows(): Entry[] {
    const { entryCount, nodes } = this.page;
    this.#rows ??= nodes.map((listed) => new Entry(listed, this.ranking, entryCount));
    return this.#rows;
  }

  get nodes(): Entry[] {
    return this.#placeholder < 0 ? this.rows : this.rows.filter(({ isPlaceholder }) => !isPlaceholder);
  }

  get edges(): { node: Entry; amongRank: number | null; cursor: () => string }[] {
    const hidden = this.#placeholder;
    const edges = this.rows.map((node, index) => ({
      node,
      amongRank: node.amongRank,
      cursor: () => this.page.cursor(index),
    }));
    return hidden < 0 ? edges : edges.toSpliced(hidden, 1);
  }

  get pageInfo() {
    return this.page.pageInfo;
  }

  get totalCount(): Count {
    return this.page.entryCount;
  }

  get hypothetical(): HypotheticalEntry | null {
    const index = this.#placeholder;
    if (index < 0) return null;
    const { value, rank, displayRank, amongRank } = this.page.nodes[index]!;
    return { value, rank, displayRank, amongRank, index };
  }

  /** Returns the page with its count, which every row of a view shows in REST. */
  async counted(): Promise<EntryPage> {
    const { nodes, cursor, entryCount, pageInfo, cached } = this.page;
    const total = typeof entryCount === 'number' ? entryCount : await entryCount();
    return new EntryPage(new ScorePage(nodes, cursor, total, pageInfo, cached), this.ranking);
  }

  get #placeholder(): number {
    return this.page.nodes.findIndex(({ isPlaceholder }) => isPlaceholder);
  }
}

/** A page, and the sort direction that was served when it was read. */
export interface ServedPage {
  page: ScorePage;
  sortDirection: SortDirection;
}
