import type { Context } from '../../graphql/context.js';
import { userById } from '../read.js';

/** The name of a colleague, which everyone who reads an account may know; null: no user of the account. */
export async function colleagueName(
  context: Context,
  { accountId }: { accountId: string },
  userId: string | null,
): Promise<string | null> {
  const user = userId === null ? undefined : await context.loaders.of(userById).load(userId);
  return user?.accountId === accountId ? user.displayName : null;
}
