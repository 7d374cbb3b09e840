import { Args, ArgsType, Field, ID, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { DomainError, invalidField } from '../../base/errors.js';
import { type IdKind, isId } from '../../base/ids.js';
import type { Changes } from '../../db/changes.js';
import type { Queryable } from '../../db/pool.js';
import { loadGame } from '../../games/read.js';
import { accountScope, adminOf, requireRight } from '../../graphql/access.js';
import type { Context, Feed } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { moduleFeed } from '../../graphql/schema.js';
import { cursorOf, FLAGS, type FlagPosition, type FlagStream, flagFeed, flagsOf } from './feed.js';
import { ScoreFlag } from './flag.js';
import { loadFlag, requireFlag } from './read.js';

function idIn(args: Record<string, unknown>, name: string, kind: IdKind): string | undefined {
  const value = args[name] ?? undefined;
  if (value === undefined || isId(kind, value)) return value;
  throw invalidField([name], `must be the id of a ${kind}`, 'id');
}

/** As `cursorOf` writes it. */
const CURSOR = /^(\d{1,20}):([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;
const LARGEST_TRANSACTION = 2n ** 64n - 1n;

/** A flag, or the position of a message. @throws DomainError INVALID_CURSOR */
function startIn(args: Record<string, unknown>, stream: FlagStream): string | FlagPosition | undefined {
  const after = args.after as string | null | undefined;
  if (after == null) return undefined;
  if (stream === 'added' && isId('scoreFlag', after)) return after;
  const parts = CURSOR.exec(Buffer.from(after, 'base64url').toString('latin1'));
  if (!parts || BigInt(parts[1]!) > LARGEST_TRANSACTION) {
    throw new DomainError(
      'INVALID_CURSOR',
      'Invalid cursor in after. Use the cursor of a message from this stream, or leave it out.',
    );
  }
  return { writtenIn: parts[1]!, id: parts[2]! };
}

/** A feed of flags: a new one that is gone by now is left out. */
export function scoreFlagFeed(pool: Queryable, changes: Changes, stream: 'added' | 'changed'): Feed {
  return moderationFeed(pool, changes, stream, async (context, scoreFlagId) => {
    const scoreFlag = await unlessGone(loadFlag(context, scoreFlagId));
    if (!scoreFlag && stream === 'added') return undefined;
    return { scoreFlagId, scoreFlag: scoreFlag ?? null };
  });
}

/**
 * A feed of what moderators follow: credential and rights are checked again for every message, so that a revoked key ends it with an error.
 * @param message a message without its cursor; undefined: none is sent
 */
export function moderationFeed<T extends object>(
  pool: Queryable,
  changes: Changes,
  stream: FlagStream,
  message: (context: Context, id: string) => Promise<T | undefined>,
): Feed {
  return (args, context) => {
    const named = idIn(args, 'accountId', 'account');
    const gameId = idIn(args, 'gameId', 'game');
    const after = startIn(args, stream);
    const accountId = accountScope(context, named);
    const topic = accountId ? flagsOf(accountId) : FLAGS;
    const opened = open(context, gameId, after);
    opened.catch(() => undefined);
    const games = context.caller.kind === 'admin' ? context.caller.games : null;
    const scope = { accountId, gameIds: gameId ? [gameId] : (games ?? undefined) };
    return flagFeed({ pool, changes, stream }, topic, scope, opened, async (id, place) => {
      await requireReader(context);
      const told = await message(context, id);
      return told && { cursor: cursorOf(place), ...told };
    });
  };
}

/** Every named record must be the caller's. @throws DomainError NOT_FOUND, FORBIDDEN */
async function open<T extends string | FlagPosition | undefined>(
  context: Context,
  gameId: string | undefined,
  after: T,
): Promise<T> {
  if (gameId) await loadGame(context, gameId);
  if (typeof after === 'string') await requireFlag(context, after);
  return after;
}

/** With nothing loaded before. @throws DomainError the refusal of the caller */
async function requireReader(context: Context): Promise<void> {
  context.loaders.clear();
  await context.renew();
  if (context.credentialError) throw context.credentialError;
  adminOf(context);
  requireRight(context, 'read');
}

/** Undefined: the record, its board or its player was deleted in the meantime. */
export async function unlessGone<T>(loaded: Promise<T>): Promise<T | undefined> {
  try {
    return await loaded;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

@ObjectType({ description: 'A flag that was raised or changed.', simpleResolvers: true })
class ScoreFlagChange {
  @Field(() => String, { description: 'Position in the stream. Pass it as `after` to continue from here.' })
  cursor!: string;

  @Field(() => ID, { description: "The flag's id." })
  scoreFlagId!: string;

  @Field(() => ScoreFlag, {
    nullable: true,
    description: 'The flag in its latest state. Null if the flag, its board or its player was deleted.',
  })
  scoreFlag!: ScoreFlag | null;
}

/** Checked by the feed. */
@ArgsType()
class ScoreFlagFeedArgs {
  @Field(() => ID, { nullable: true, description: 'Only flags of this account.' })
  accountId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only flags of this game.' })
  gameId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Continues after the message with this cursor, so that a reconnecting subscriber misses nothing. `scoreFlagged` also takes the id of a flag. Default: from now on.',
  })
  after?: string | null;
}

@Resolver(() => ScoreFlagChange)
export class FlagLiveResolver {
  @Allow('read')
  @Subscription(() => ScoreFlagChange, {
    description:
      'Flags that were reviewed, annotated, deleted or restored by anyone, also by a review of all runs or by undoing it. Sent within a second. Quick successive changes to a flag can arrive as one. Superadmins see all accounts unless they name one.',
    subscribe: moduleFeed,
  })
  scoreFlagReviewed(
    @Root() change: ScoreFlagChange,
    @Args(() => ScoreFlagFeedArgs) _args: ScoreFlagFeedArgs,
  ): ScoreFlagChange {
    return change;
  }

  @Allow('read')
  @Subscription(() => ScoreFlagChange, {
    description:
      'New flags in the order they were created, each in its latest state. Sent within a second. Superadmins see all accounts unless they name one.',
    subscribe: moduleFeed,
  })
  scoreFlagged(
    @Root() change: ScoreFlagChange,
    @Args(() => ScoreFlagFeedArgs) _args: ScoreFlagFeedArgs,
  ): ScoreFlagChange {
    return change;
  }
}
