import { accountForWrite } from '../accounts/read.js';
import { givenEmail, lockEmail } from '../accounts/users/address.js';
import { insertUser } from '../accounts/users/save.js';
import type { User } from '../accounts/users/user.js';
import { adminOf } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { type Issuing, issueInvite } from './codes/issue.js';
import { displayNameOf } from './display-name.js';
import type { InviteUserInput } from './inputs.js';

/**
 * Creates an invited user of the account and sends the code.
 * @throws DomainError VALIDATION_FAILED, NOT_FOUND, FORBIDDEN, CONFLICT (email)
 */
export async function inviteUser(issuing: Issuing, context: Context, input: InviteUserInput): Promise<User> {
  const now = new Date(context.clock());
  const accountId = input.accountId ?? adminOf(context).accountId;
  const email = givenEmail(input.email);
  return context.db.transaction(async (trx) => {
    await lockEmail(trx, email);
    await accountForWrite(trx, context, accountId, 'alone');
    const displayName = displayNameOf(input.displayName, email);
    const rights = { superAdmin: false, status: 'invited', emailVerifiedAt: null } as const;
    const invited = { accountId, email, displayName, ...rights };
    const user = await insertUser(trx, invited, now);
    await issueInvite(trx, issuing, email, now);
    return user;
  });
}
