import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { adminOf, requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { recordInput, recordPayload } from '../../graphql/payloads.js';
import { Allow, ForAdministrators } from '../../graphql/rights.js';
import { User } from '../users/user.js';
import { endConsoleSession, sessionsOf } from './end-session.js';
import { ConsoleSession } from './session.js';

const EndConsoleSessionInput = recordInput('EndConsoleSession', 'apiKey', 'The session to end.');
const EndConsoleSessionPayload = recordPayload(
  'EndConsoleSession',
  'consoleSession',
  () => ConsoleSession,
  'The session, which has ended.',
);

@Resolver(() => User)
export class ConsoleSessionResolver {
  @ForAdministrators('own')
  @FieldResolver(() => [ConsoleSession], {
    nullable: true,
    description:
      "Where the user is signed in to the console, newest first, at most five. Null for other users' " +
      'sessions without the right `people`, and for those of superadmins.',
  })
  async consoleSessions(@Root() user: User, @Ctx() context: Context): Promise<ConsoleSession[] | null> {
    if (!seesAccess(context, user)) return null;
    const keys = await sessionsOf(context.db, user.id, new Date(context.clock()));
    return keys.map((key) => ConsoleSession.of(key, adminOf(context).keyId));
  }

  @Allow('own')
  @Mutation(() => EndConsoleSessionPayload, {
    description:
      "Ends a sign-in to the console, on every server and on its live connections: one's own, or with the " +
      'right `people` that of another user of the account.',
  })
  async endConsoleSession(
    @Arg('input', () => EndConsoleSessionInput, { description: 'The session.' }) input: { id: string },
    @Ctx() context: Context,
  ) {
    return { consoleSession: await endConsoleSession(context, input.id) };
  }
}

/** True if the caller may see how a user gets in. */
export function seesAccess(context: Context, user: User): boolean {
  const { userId, superAdmin, rights } = adminOf(context);
  if (user.id === userId) return true;
  if (!rights.includes('people') || (user.superAdmin && !superAdmin)) return false;
  requireAccount(context, { accountId: user.accountId });
  return true;
}
