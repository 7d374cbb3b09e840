import { type GraphQLSchema, Kind, parse, validate } from 'graphql';
import type { Measure } from '../../base/value-format.js';
import type { ContextFactory } from '../../graphql/context.js';
import { Engine, type Prepared } from '../../graphql/engine/execute.js';
import { domainErrorOf } from '../../graphql/errors.js';
import type { ShownField } from './details.js';
import type { ShownScore } from './ranking.js';
import { type PageViewFacts, VIEW_OPERATIONS } from './views/facts.js';

/** Names of GraphQL's enum values. */
type Phase = 'UPCOMING' | 'LIVE' | 'ENDED' | 'INACTIVE';

export interface NeighbourBoard {
  name: string;
  shortCode: string;
}

/** A game as the heads of pages show it. */
interface GameName {
  name: string;
  slug: string;
  logoUrl: string | null;
  coverUrl: string | null;
}

/** The facts of a board on its page, besides its scores. */
export interface PageBoard extends Measure {
  id: string;
  name: string;
  shortCode: string;
  description: string | null;
  icon: string | null;
  boardType: 'RUN_IDENTITY' | 'RUN_RUNS' | 'COUNTER' | 'RATIO';
  keepStrategy: 'ALL' | 'BEST' | 'FIRST' | 'LAST';
  sortDirection: 'ASC' | 'DESC';
  startsAt: string | null;
  endsAt: string | null;
  phase: Phase;
  secondsToStart: number | null;
  secondsToEnd: number | null;
  ranking: { entryCount: number };
  version: number;
  urlShort: string | null;
  publicFields: ShownField[];
  hasClosings: boolean;
  proof: 'OFF' | 'REQUIRED';
  /** Its entries may be verified. */
  hasVerdicts: boolean;
  defaultView: string | null;
  game: GameName & { pageUrl: string | null; accentColour: string | null; overlayOrigins: string[] };
  previousBoard: NeighbourBoard | null;
  nextBoard: NeighbourBoard | null;
  series: { nodes: NeighbourBoard[] };
  views: PageViewFacts[];
}

export interface BoardLink
  extends Omit<
    PageBoard,
    | 'game'
    | 'previousBoard'
    | 'nextBoard'
    | 'series'
    | 'publicFields'
    | 'hasClosings'
    | 'proof'
    | 'hasVerdicts'
    | 'defaultView'
    | 'views'
    | 'ranking'
  > {
  ranking: { entryCount: number; leaders: { nodes: ShownScore[] } };
}

interface BoardList {
  nodes: BoardLink[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface GameFacts extends GameName {
  description: string | null;
  pageUrl: string | null;
  accentColour: string | null;
  url: string | null;
  defaultBoard: { id: string } | null;
  live: BoardList;
  upcoming: BoardList;
  ended: BoardList;
}

/** A board of the landing page. */
export interface LandingBoard extends BoardLink {
  game: Omit<GameName, 'coverUrl'> | null;
}

/** The operations behind the pages, executed on the service's own schema with an anonymous caller's rights. */
const DOCUMENT = `
  fragment Board on PublicBoard {
    id: boardId name shortCode description icon unit format { kind decimals timeUnit } boardType keepStrategy sortDirection
      startsAt endsAt phase secondsToStart
    secondsToEnd ranking { entryCount: totalCount } version urlShort
  }
  fragment Place on Entry { id: scoreId identityId rank displayRank playerName value valueDisplay }
  fragment Facts on PublicBoard {
    ...Board
    publicFields
    hasClosings
    proof
    hasVerdicts
    defaultView
    game { name slug pageUrl accentColour overlayOrigins logoUrl coverUrl }
    previousBoard { name shortCode }
    nextBoard { name shortCode }
    series(first: 24) { nodes { name shortCode } }
    views { name period every { every } seasons { name } by status }
  }
  fragment Boards on PublicBoardConnection {
    nodes { ...Board ranking { leaders: entries(first: 3) { nodes { ...Place } } } }
    pageInfo { hasNextPage endCursor }
  }
  query BoardOfCode($code: String!) { publicBoard(by: { shortCode: $code }) { ...Facts } }
  query BoardOfSlug($game: String!, $board: String!) {
    publicBoard(by: { slug: { game: $game, board: $board } }) { ...Facts }
  }
  query Landing($by: BoardKey!) {
    publicBoard(by: $by) {
      ...Board game { name slug logoUrl } ranking { leaders: entries(first: 10) { nodes { ...Place } } }
    }
  }
  query Scores($code: String!, $from: Int!, $size: Int!) {
    publicBoard(by: { shortCode: $code }) {
      ranking { scores: entries(startRank: $from, first: $size) { entryCount: totalCount nodes { ...Place } } }
    }
  }
  query DetailedScores($code: String!, $from: Int!, $size: Int!) {
    publicBoard(by: { shortCode: $code }) {
      ranking {
        leader: entries(first: 1) { nodes { value valueDisplay } }
        scores: entries(startRank: $from, first: $size) {
          entryCount: totalCount nodes { ...Place updatedAt country platform verifiedAt }
        }
      }
    }
  }
  query Players($code: String!, $name: String!, $view: String, $of: String, $where: [TagInput!]) {
    publicBoard(by: { shortCode: $code }) {
      ranking(view: $view, period: $of, where: $where) {
        entryCount: totalCount found: findEntries(name: $name, first: 20) { ...Place }
      }
    }
  }
  query Game($slug: String!, $after: String) {
    publicGame(by: { slug: $slug }) {
      name slug description pageUrl accentColour logoUrl coverUrl url defaultBoard { id: boardId }
      live: boards(phase: LIVE, first: 24) { ...Boards }
      upcoming: boards(phase: UPCOMING, first: 12) { ...Boards }
      ended: boards(phase: ENDED, first: 12, after: $after) { ...Boards }
    }
  }
  ${VIEW_OPERATIONS}
`;

/** Runs an operation of {@link DOCUMENT} as an anonymous caller; `root` is its only field. */
export type RunQuery = <T>(operation: string, root: string, variables: Record<string, unknown>) => Promise<T>;

/** @throws Error when the document does not fit the schema */
function preparedQueries(schema: GraphQLSchema, more: string): Map<string, Prepared> {
  const document = parse(DOCUMENT + more);
  const [fault] = validate(schema, document);
  if (fault) throw fault;
  const engine = new Engine(schema, { own: true });
  const names = document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? [node.name!.value] : [],
  );
  return new Map(names.map((name) => [name, engine.prepare(document, name)]));
}

/**
 * Runs operations on the service's own schema as an anonymous caller: the request's credentials are ignored, because
 * shared caches store the responses. They are prepared for the first page.
 * @param more operations of single kinds of pages, for the same document
 */
export function visitorQueries(
  schema: GraphQLSchema,
  more: string,
): (contextOf: ContextFactory, requestId: string) => RunQuery {
  let prepared: Map<string, Prepared> | undefined;
  return (contextOf, requestId) => async (operation, root, variables) => {
    const context = await contextOf({ headers: {}, requestId, socketAddress: undefined });
    prepared ??= preparedQueries(schema, more);
    const { data, errors } = await prepared.get(operation)!.run(variables, context);
    const [error] = errors ?? [];
    if (error) {
      const shown = domainErrorOf(error);
      // Internal errors are logged as they were thrown.
      throw shown.code === 'INTERNAL' ? (error.originalError ?? error) : shown;
    }
    return data![root] as never;
  };
}

/** What an operation reads of a ranking of a board. */
export interface OfRanking<T> {
  ranking: T;
}

export interface BoardScores {
  scores: { nodes: ShownScore[]; entryCount: number };
}

export interface DetailedScores extends BoardScores {
  leader?: { nodes: Pick<ShownScore, 'value' | 'valueDisplay'>[] };
}

/** The scores of a page, with the facts about them that the board makes public, and those that were verified. */
export async function readPageScores(
  run: RunQuery,
  { publicFields, hasVerdicts }: PageBoard,
  window: { code: string; from: number; size: number },
) {
  const operation = publicFields.length === 0 && !hasVerdicts ? 'Scores' : 'DetailedScores';
  const { ranking } = await run<OfRanking<DetailedScores>>(operation, 'publicBoard', window);
  const { scores, leader } = ranking;
  return { scores: scores.nodes, entryCount: scores.entryCount, leader: leader?.nodes[0] };
}
