// Favourites: players mark boards, and every board shows how many did. An extension of the GraphQL API.
// HOOKS_MODULE=./examples/favourites.mjs npm start

/** @typedef {import('leaderboard-service/hooks').Hooks} Hooks */
/** @typedef {import('leaderboard-service/hooks').Resolvers} Resolvers */
/** @typedef {import('leaderboard-service/hooks').ClientCaller} ClientCaller */
/**
 * @template Value
 * @typedef {import('leaderboard-service/hooks').BatchRead<Value>} BatchRead
 */
/**
 * @template Parent, Args
 * @typedef {import('leaderboard-service/hooks').Resolver<Parent, Args>} Resolver
 */

const MOST = 50;

export const typeDefs = `
  extend type Board {
    "How many players have marked the board as a favourite."
    favouriteCount: Int!
  }
  extend type Query {
    "The player's favourite boards, the newest first. \`first\` is at most ${MOST}."
    myFavourites(first: Int! = 20): [Board!]! @allow(roles: [CLIENT])
  }
  extend type Mutation {
    "Marks a board as a favourite of the player, or takes the mark away."
    markFavourite(boardId: ID!, isFavourite: Boolean! = true): Board! @allow(roles: [CLIENT]) @cost(weight: 5)
  }
`;

// Processes that start together take turns: "if not exists" alone does not see what another one is about to make.
const TABLES = `
  select pg_advisory_xact_lock(5392);
  create schema if not exists favourites;
  create table if not exists favourites.marks (
    player text, board text, marked_at timestamptz not null, primary key (player, board));
  create index if not exists marks_board on favourites.marks (board)`;
const COUNTS = `
  select board, count(*)::integer as count from favourites.marks where board = any($1) group by board`;
const MINE = 'select board from favourites.marks where player = $1 order by marked_at desc limit $2';
const MARK = 'insert into favourites.marks values ($1, $2, $3) on conflict (player, board) do nothing';
const UNMARK = 'delete from favourites.marks where player = $1 and board = $2';

/** @type {Hooks['setUp']} */
export const setUp = ({ query }) => query(TABLES);

/** @type {BatchRead<number>} One statement for all boards of an operation. */
const countsOf = async (boards, { query }) => {
  /** @type {{ board: string, count: number }[]} */
  const rows = await query(COUNTS, [boards]);
  return new Map(rows.map(({ board, count }) => [board, count]));
};

/** @type {Resolver<{ id: string }, {}>} */
const favouriteCount = async ({ id }, _args, { batch }) => (await batch(countsOf, id)) ?? 0;

/** @type {Resolver<undefined, { first: number }>} */
const myFavourites = async (_parent, { first }, { caller, query, record, refuse }) => {
  if (first < 1 || first > MOST) refuse('VALIDATION_FAILED', `first must be from 1 to ${MOST}`);
  const { identityId } = /** @type {ClientCaller} */ (caller);
  /** @type {{ board: string }[]} */
  const rows = await query(MINE, [identityId, first]);
  // A board that was deleted, or is not published any more, is left out.
  const boards = await Promise.all(rows.map(({ board }) => record(board)));
  return boards.filter((board) => board !== null);
};

/** @type {Resolver<undefined, { boardId: string, isFavourite: boolean }>} */
const markFavourite = async (_parent, { boardId, isFavourite }, { caller, query, record, refuse, now }) => {
  const board = boardId.startsWith('brd_') ? await record(boardId) : null;
  if (!board) return refuse('NOT_FOUND', 'Board not found');
  const { identityId } = /** @type {ClientCaller} */ (caller);
  if (isFavourite) await query(MARK, [identityId, board.id, now()]);
  else await query(UNMARK, [identityId, board.id]);
  return board;
};

/** @type {Resolvers} */
export const resolvers = {
  Board: { favouriteCount },
  Query: { myFavourites },
  Mutation: { markFavourite },
};
