import type { Account } from '../accounts/account.js';
import type { ApiKey } from '../accounts/keys/api-key.js';
import type { User } from '../accounts/users/user.js';
import type { VerificationCode, VerificationType } from './codes/code.js';

/** Name of the API key of a registration. */
export const FIRST_KEY = 'Registration';

/** A completed registration or accepted invitation: the user, its account and its key. Ids are prefixed. */
export interface Registration {
  type: VerificationType;
  email: string;
  accountId: string;
  accountName: string;
  accountSlug: string;
  userId: string;
  displayName: string;
  /** The whole key; it is returned only here. */
  apiKey: string;
}

export function registrationOf(
  { type, email }: VerificationCode,
  account: Account,
  user: User,
  key: ApiKey,
): Registration {
  return {
    type,
    email,
    accountId: account.id,
    accountName: account.name,
    accountSlug: account.slug,
    userId: user.id,
    displayName: user.displayName,
    apiKey: key.key!,
  };
}
