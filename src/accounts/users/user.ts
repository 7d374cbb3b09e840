import { isUnprovenAddress } from '../../base/email-address.js';
import type { GlobalName } from '../../db/names.js';
import { enumOf } from '../../graphql/enums.js';
import { kind } from '../../graphql/records/kinds.js';
import {
  type Created,
  changeInput,
  createdAt,
  derived,
  fixed,
  idField,
  later,
  made,
  maybe,
  newInput,
  preset,
  RecordType,
  required,
  rowOf,
  type Updated,
  updatedAt,
} from '../../graphql/records/record.js';
import { email, games } from './kinds.js';
import { UserRole } from './role.js';

export const UserStatus = enumOf('UserStatus', 'The status of a user.', {
  invited: 'The user has not completed registration.',
  active: "The user's keys work.",
  suspended: "The user's keys are rejected.",
});
export type UserStatus = (typeof UserStatus)[keyof typeof UserStatus];

const FlagDigest = enumOf(
  'FlagDigest',
  'How often a user is emailed about new flags that wait for a review.',
  {
    none: 'Never.',
    hourly: 'At most once an hour.',
    daily: "At most once a day, at 9:00 in the account's time zone, or UTC.",
  },
);

const AT_MOST = 'At most that of the caller.';

export const userFields = {
  id: idField('user'),
  accountId: fixed(required(kind.idOf('account'), 'The account it belongs to. Never changes.')),
  email: required(email, 'Email address, unique among all users. Kept in lowercase, with an ASCII domain.', {
    whenChanged: 'A new one is unverified.',
  }),
  emailVerifiedAt: made(
    kind.orNull(kind.moment),
    'When the address was verified with an emailed code. Null if unverified: someone who registers with this address then takes it over.',
  ),
  displayName: required(kind.label(100, 2), 'Display name.'),
  status: later(
    derived(kind.oneOf(UserStatus), 'Status of the user. Only the keys of active users work.', {
      whenChanged: 'Suspends or activates the user.',
    }),
  ),
  role: preset(kind.oneOf(UserRole), 'admin', 'What the user may do in its account.', {
    whenNew: AT_MOST,
    whenChanged: AT_MOST,
    takesNull: true,
  }),
  gameIds: maybe(
    games,
    'The only games it reaches; then nothing that belongs to the account as a whole. Null: all games.',
  ),
  superAdmin: later(
    derived(kind.flag, 'True if the user has access to every account.', {
      whenChanged: 'Only superadmins can change this.',
    }),
  ),
  flagDigest: later(
    preset(
      kind.oneOf(FlagDigest),
      'none',
      'How often the user is emailed about new pending flags of the account. New users are not.',
      { whenChanged: '`HOURLY` and `DAILY` need a verified email address, except for superadmins.' },
    ),
  ),
  createdAt,
  updatedAt,
};

@RecordType(userFields, 'A person who administers an account.')
export class User extends rowOf(userFields) {
  static override tableName = 'users';
  static override unaudited = ['digestDueAt', 'digestSeenAt', 'signedInAt'];

  /** From when a mailed code adds its first passkey, for a day, where passkeys are demanded; null: from its creation. */
  passkeysDueFrom!: Date | null;
  /** Bare uuid of the user that invited it, perhaps a superadmin of another account. */
  invitedBy!: string | null;
  /** When it last signed in to the console. */
  signedInAt!: Date | null;
  /** When the next digest may be sent; null if none is wanted. */
  digestDueAt!: Date | null;
  /** Flags raised up to this moment were in a digest. */
  digestSeenAt!: Date | null;
  /** The first user of its account. */
  isOwner!: boolean;

  override globalNames(): GlobalName[] {
    return this.deletedAt || isUnprovenAddress(this.email)
      ? []
      : [{ kind: 'email', name: this.email.toLowerCase() }];
  }
}

export const CreateUserInput = newInput('CreateUserInput', 'A new user.', userFields);
export type CreateUserInput = Created<typeof userFields>;

export const UpdateUserInput = changeInput(
  'UpdateUserInput',
  'Changes to a user. Absent fields stay unchanged.',
  userFields,
);
export type UpdateUserInput = Updated<typeof userFields> & { deleted?: boolean };
