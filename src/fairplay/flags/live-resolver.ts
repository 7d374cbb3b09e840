import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import { DomainError, invalidField } from '../../base/errors.js';
import { type IdKind, isId } from '../../base/ids.js';
import type { Changes } from '../../db/changes.js';
import type { Queryable } from '../../db/pool.js';
import { loadGame } from '../../games/read.js';
import { Allow, accountScope, adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { type Feed, moduleFeed } from '../../graphql/schema.js';
import { FLAGS, flagFeed, flagsOf } from './feed.js';
import { ScoreFlag } from './flag.js';
import { loadFlag } from './read.js';

function idIn(args: Record<string, unknown>, name: string, kind: IdKind): string | undefined {
  const value = args[name] ?? undefined;
  if (value === undefined || isId(kind, value)) return value;
  throw invalidField([name], `must be the id of a ${kind === 'scoreFlag' ? 'score flag' : kind}`, 'id');
}

/**
 * The feed of `scoreFlagged`: credential and rights are checked again for every message, so that a revoked key ends it with
 * an error.
 */
export function scoreFlaggedFeed(pool: Queryable, changes: Changes): Feed {
  return (args, context) => {
    const named = idIn(args, 'accountId', 'account');
    const gameId = idIn(args, 'gameId', 'game');
    const after = idIn(args, 'after', 'scoreFlag');
    const accountId = accountScope(context, named);
    const topic = accountId ? flagsOf(accountId) : FLAGS;
    const opened = open(context, gameId, after);
    opened.catch(() => undefined);
    return flagFeed({ pool, changes }, topic, { accountId, gameId }, opened, (id) => newest(context, id));
  };
}

/** Every named record must be the caller's. @throws DomainError NOT_FOUND, FORBIDDEN */
async function open(
  context: Context,
  gameId: string | undefined,
  after: string | undefined,
): Promise<string | undefined> {
  if (gameId) await loadGame(context, gameId);
  if (after) await loadFlag(context, after);
  return after;
}

async function newest(context: Context, id: string): Promise<ScoreFlag | undefined> {
  context.loaders.clear();
  await context.renew();
  if (context.credentialError) throw context.credentialError;
  adminOf(context);
  try {
    return await loadFlag(context, id);
  } catch (error) {
    // The flag or its board was deleted meanwhile.
    if (error instanceof DomainError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

@Resolver(() => ScoreFlag)
export class FlagLiveResolver {
  @Allow('admin')
  @Subscription(() => ScoreFlag, {
    description:
      'New flags, in the order in which they were raised, each in its newest state; within a second. A superadmin who names no account sees those of all.',
    subscribe: moduleFeed,
  })
  scoreFlagged(
    @Root() flag: ScoreFlag,
    @Arg('accountId', () => ID, { nullable: true, description: 'Only flags of this account.' })
    _accountId: string | null,
    @Arg('gameId', () => ID, { nullable: true, description: 'Only flags of this game.' })
    _gameId: string | null,
    @Arg('after', () => ID, {
      nullable: true,
      description:
        'Continues after this flag, so that a subscriber who was away misses none; from now on by default.',
    })
    _after: string | null,
  ): ScoreFlag {
    return flag;
  }
}
