import { Extensions, Field, ObjectType } from 'type-graphql';
import type { SortDirection } from '../../boards/board/board.js';
import { PageConnection, PageInfo } from '../../graphql/connection.js';
import type { RememberedExtensions } from '../../graphql/engine/json-parts.js';
import { SafeInt } from '../../graphql/scalars.js';
import type { ChosenRanking } from '../../rankings/address.js';
import { Score } from '../../rankings/score.js';
import { Standing } from '../standings/standing.js';

@ObjectType({ description: 'One score in a list.', simpleResolvers: true })
class ScoreEdge {
  @Field(() => String, {
    description: 'Position of this score. Pass it as `after` or `before` to continue from here.',
  })
  cursor!: string;

  @Field(() => SafeInt, { description: "The score's rank on its board." })
  rank!: number;

  @Field(() => Score, { description: 'The score.' })
  node!: Score;
}

/** A page without content. */
const EMPTY_CONNECTION = {
  edges: [],
  nodes: [],
  standings: null,
  pageInfo: {
    hasNextPage: false,
    hasPreviousPage: false,
    startCursor: null,
    backCursor: null,
    endCursor: null,
  },
  entryCount: 0,
};

/**
 * Readers that get the same array of scores get the same page: ranks and cursors belong to the array's version of
 * the board.
 */
@Extensions({ remembered: { by: 'shared', empty: EMPTY_CONNECTION } } satisfies RememberedExtensions)
@ObjectType({ description: 'Scores of one board.', simpleResolvers: true })
export class ScoreConnection {
  @Field(() => [ScoreEdge], { description: 'The scores with ranks and cursors.' })
  edges!: ScoreEdge[];

  @Field(() => [Score], { description: 'The scores alone; with `view` none, see `standings`.' })
  nodes!: Score[];

  @Field(() => [Standing], {
    nullable: true,
    description:
      'With `view`: the rows of its ranking. They are no scores, which have one rank and value each. Null without `view`.',
  })
  standings?: Standing[] | null;

  @Field(() => PageInfo, { description: 'Position of the page in its list.' })
  pageInfo!: PageInfo;

  @Field(() => SafeInt, {
    description:
      "Number of entries in the ranking and population, regardless of filters, consistent with the page. Without `view`, the board's ranked scores.",
  })
  entryCount!: number;
}

@ObjectType({ description: "A player's scores, on several boards.", simpleResolvers: true })
export class IdentityScoreConnection {
  @Field(() => [ScoreEdge], { description: 'The scores with ranks and cursors.' })
  edges!: ScoreEdge[];

  @Field(() => [Score], { description: 'The scores alone.' })
  nodes!: Score[];

  @Field(() => PageInfo, { description: 'Position of the page in its list.' })
  pageInfo!: PageInfo;
}

/** Resolver result for an {@link IdentityScoreConnection}. */
export class IdentityScorePage extends PageConnection<Score> {
  override get edges() {
    return super.edges.map((edge) => ({ ...edge, rank: edge.node.rank }));
  }
}

/** Resolver result for a {@link ScoreConnection}: values, or functions that are called when the value is requested. */
export class ScorePage {
  constructor(
    readonly nodes: Score[],
    readonly cursor: (index: number) => string,
    readonly entryCount: number | (() => Promise<number>),
    readonly pageInfo: {
      hasNextPage: () => boolean | Promise<boolean>;
      hasPreviousPage: () => boolean | Promise<boolean>;
      startCursor: () => string | null;
      backCursor: () => string | null;
      endCursor: () => string | null;
    },
    /** True if later readers get the same array of scores: serialized pages can be cached by it. */
    readonly cached = false,
  ) {}

  /** The array that identifies the page. */
  get shared(): Score[] {
    return this.nodes;
  }

  /** Half of the readers request the scores alone. */
  get edges() {
    return this.nodes.map((node, index) => ({ node, rank: node.rank, cursor: () => this.cursor(index) }));
  }

  /** The same page with the scores as another caller sees them. */
  showing(nodes: Score[]): ScorePage {
    return new ScorePage(nodes, this.cursor, this.entryCount, this.pageInfo, this.cached);
  }
}

/** A page of a view's ranking: its rows are standings. */
export class ViewPage {
  readonly nodes: Score[] = [];
  readonly edges = [];
  readonly entryCount: number;

  constructor(
    private readonly page: ScorePage,
    private readonly ranking: ChosenRanking,
    total: number,
  ) {
    this.entryCount = total;
  }

  get shared(): Score[] {
    return this.page.nodes;
  }

  get pageInfo() {
    return this.page.pageInfo;
  }

  get standings(): Standing[] {
    return this.page.nodes.map((entry) => Standing.of(entry, this.ranking, this.entryCount));
  }
}

/** A page, and the sort direction that was served when it was read. */
export interface ServedPage {
  page: ScorePage;
  sortDirection: SortDirection;
}
