import { Arg, Field, ID, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { DomainError, invalidField } from '../../base/errors.js';
import { type IdKind, isId } from '../../base/ids.js';
import type { Changes } from '../../db/changes.js';
import type { Queryable } from '../../db/pool.js';
import { loadGame } from '../../games/read.js';
import { Allow, accountScope, adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { type Feed, moduleFeed } from '../../graphql/schema.js';
import { FLAGS, type FlagPosition, flagFeed, flagsOf } from './feed.js';
import { ScoreFlag } from './flag.js';
import { loadFlag, requireFlag } from './read.js';

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
    return flagFeed({ pool, changes, stream: 'added' }, topic, { accountId, gameId }, opened, (id) =>
      newest(context, id),
    );
  };
}

/** Names the position of a change: `<transaction>:<uuid of the flag>`. */
const REVIEW_CURSOR = /^(\d{1,20}):([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;
const LARGEST_TRANSACTION = 2n ** 64n - 1n;

function cursorOf({ writtenIn, id }: FlagPosition): string {
  return Buffer.from(`${writtenIn}:${id}`).toString('base64url');
}

/** @throws DomainError INVALID_CURSOR */
function positionIn(args: Record<string, unknown>): FlagPosition | undefined {
  const { after } = args;
  if (after == null) return undefined;
  const parts = REVIEW_CURSOR.exec(Buffer.from(String(after), 'base64url').toString('latin1'));
  if (!parts || BigInt(parts[1]!) > LARGEST_TRANSACTION) {
    throw new DomainError(
      'INVALID_CURSOR',
      'Invalid cursor in after. Use the cursor of a message from this stream, or leave it out.',
    );
  }
  return { writtenIn: parts[1]!, id: parts[2]! };
}

/** The feed of `scoreFlagReviewed`, with the rights of {@link scoreFlaggedFeed}. */
export function scoreFlagReviewedFeed(pool: Queryable, changes: Changes): Feed {
  return (args, context) => {
    const named = idIn(args, 'accountId', 'account');
    const gameId = idIn(args, 'gameId', 'game');
    const after = positionIn(args);
    const accountId = accountScope(context, named);
    const topic = accountId ? flagsOf(accountId) : FLAGS;
    const opened = open(context, gameId, undefined).then(() => after);
    opened.catch(() => undefined);
    const parts = { pool, changes, stream: 'changed' } as const;
    return flagFeed(parts, topic, { accountId, gameId }, opened, async (id, place) => {
      const scoreFlag = await newest(context, id);
      return { id, cursor: cursorOf(place), scoreFlag: scoreFlag ?? null };
    });
  };
}

/** Every named record must be the caller's. @throws DomainError NOT_FOUND, FORBIDDEN */
async function open(
  context: Context,
  gameId: string | undefined,
  after: string | undefined,
): Promise<string | undefined> {
  if (gameId) await loadGame(context, gameId);
  if (after) await requireFlag(context, after);
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
    // The flag, its board or its player was deleted in the meantime.
    if (error instanceof DomainError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

@ObjectType({ description: 'A change of a flag.', simpleResolvers: true })
class ScoreFlagReview {
  @Field(() => ID, { description: 'The flag’s id.' })
  id!: string;

  @Field(() => String, { description: 'Position in the stream. Pass it as `after` to continue from here.' })
  cursor!: string;

  @Field(() => ScoreFlag, {
    nullable: true,
    description: 'The flag in its latest state. Null if it, its board or its player was deleted.',
  })
  scoreFlag!: ScoreFlag | null;
}

@Resolver(() => ScoreFlag)
export class FlagLiveResolver {
  @Allow('admin')
  @Subscription(() => ScoreFlagReview, {
    description:
      'Flags that were reviewed, annotated, deleted or restored by anyone, including reviews of all runs and their undoing. Sent within a second. Quick successive changes to one flag can be combined. Superadmins see all accounts unless they name one.',
    subscribe: moduleFeed,
  })
  scoreFlagReviewed(
    @Root() change: ScoreFlagReview,
    @Arg('accountId', () => ID, { nullable: true, description: 'Only flags of this account.' })
    _accountId: string | null,
    @Arg('gameId', () => ID, { nullable: true, description: 'Only flags of this game.' })
    _gameId: string | null,
    @Arg('after', () => String, {
      nullable: true,
      description:
        'Continues after the message with this cursor, so that a reconnecting subscriber misses nothing. Default: from now on.',
    })
    _after: string | null,
  ): ScoreFlagReview {
    return change;
  }

  @Allow('admin')
  @Subscription(() => ScoreFlag, {
    description:
      'New flags in the order they were created, each in its latest state. Sent within a second. Superadmins see all accounts unless they name one.',
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
        'Continues after this flag, so that a reconnecting subscriber misses nothing. Default: from now on.',
    })
    _after: string | null,
  ): ScoreFlag {
    return flag;
  }
}
