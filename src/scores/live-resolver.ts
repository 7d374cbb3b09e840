import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import type { Changes } from '../db/changes.js';
import { DEFAULT_PAGE, windowOf } from '../db/keyset.js';
import type { Queryable } from '../db/pool.js';
import { invalidField } from '../errors.js';
import { Board } from '../games/boards/board.js';
import { loadPublicBoard } from '../games/boards/public-read.js';
import { loadBoard } from '../games/boards/read.js';
import { Allow } from '../graph/access.js';
import type { Context } from '../graph/context.js';
import { type Feed, moduleFeed } from '../graph/module.js';
import { IdArg } from '../graph/rules.js';
import { SafeInt } from '../graph/scalars.js';
import { isId } from '../ids.js';
import { boardFeed } from './board-feed.js';
import { ScoreConnection } from './connection.js';
import { topOfBoard } from './list.js';
import { scoreFor } from './visibility.js';

@ObjectType({ description: 'The newest state of a watched board.', simpleResolvers: true })
export class BoardChange {
  @Field(() => ID, { description: 'The id of the board.' })
  id!: string;

  @Field(() => SafeInt, {
    description:
      'Goes up with every commit that changes what readers of the board see; tells what was missed.',
  })
  version!: number;

  @Field(() => SafeInt, { description: 'Ranked scores of the board.' })
  entryCount!: number;

  @Field(() => ScoreConnection, { description: 'The top of the board at this version.' })
  scores!: ScoreConnection;
}

/** Anybody may watch what is published; clients their own game's boards, administrators their account's. */
async function watchable(context: Context, id: string): Promise<Board> {
  if (context.credentialError) throw context.credentialError;
  if (context.caller.kind !== 'anonymous') return loadBoard(context, id);
  return loadPublicBoard(context, id);
}

/**
 * The feed of `boardChanged`: credential and board are looked at anew for every message, so
 * that a revoked key or a deleted board ends it with an error.
 */
export function boardChangedFeed(pool: Queryable, changes: Changes): Feed {
  return (args, context) => {
    const { boardId, first } = args as { boardId: string; first: number };
    if (!isId('board', boardId)) throw invalidField(['boardId'], 'must be an id like brd_<uuid>', 'id');
    windowOf({ first });
    return boardFeed(changes, boardId, async () => {
      context.loaders.clear();
      await context.renew();
      const board = await watchable(context, boardId);
      const { version, page, entryCount } = await topOfBoard(pool, board, first);
      const nodes = page.nodes.map((score) => scoreFor(context, score));
      const edges = page.edges.map((edge, i) => ({ ...edge, node: nodes[i]! }));
      return Object.assign(new BoardChange(), {
        id: board.id,
        version,
        entryCount,
        scores: { ...page, nodes, edges },
      });
    });
  };
}

@Resolver(() => BoardChange)
export class LiveResolver {
  @Allow('anyone')
  @Subscription(() => BoardChange, {
    description:
      'The top of a board: its present state at once, then the newest one after every change, at most ten times a second.',
    subscribe: moduleFeed,
  })
  boardChanged(
    @Root() change: BoardChange,
    @IdArg('board', 'boardId', 'The board.') _boardId: string,
    @Arg('first', () => Int, { defaultValue: DEFAULT_PAGE, description: 'Scores from the top, 1 to 100.' })
    _first: number,
  ): BoardChange {
    return change;
  }

  @FieldResolver(() => Board, {
    nullable: true,
    description:
      'The board as its studio and game clients see it; null for visitors, who have `publicBoard`.',
  })
  board(@Root() change: BoardChange, @Ctx() context: Context) {
    return context.caller.kind === 'anonymous' ? null : loadBoard(context, change.id);
  }
}
