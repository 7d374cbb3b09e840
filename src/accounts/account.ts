import { ACCOUNT_EXPORT } from '../base/transfer/exported.js';
import type { GlobalName } from '../db/names.js';
import { enumOf } from '../graphql/enums.js';
import { type FieldKind, kind } from '../graphql/records/kinds.js';
import {
  asked,
  type Created,
  changeInput,
  createdAt,
  derived,
  idField,
  later,
  newInput,
  preset,
  RecordType,
  required,
  rowOf,
  type Updated,
  updatedAt,
} from '../graphql/records/record.js';
import { IsCountry, IsTimeZone } from '../graphql/rules.js';
import { AlsoInGraphQL, RestName } from '../graphql/views.js';

const STATUSES = {
  active: 'Users and game clients of the account have access.',
  suspended: 'Keys, sessions and public pages of the account are blocked.',
};

export const AccountStatus = enumOf('AccountStatus', 'The status of an account.', STATUSES);
export type AccountStatus = (typeof AccountStatus)[keyof typeof AccountStatus];

const AccountStatusChange = enumOf('AccountStatusChange', 'The status to set on an account.', {
  ...STATUSES,
  deleted: 'The account is deleted with everything in it.',
});
type AccountStatusChange = (typeof AccountStatusChange)[keyof typeof AccountStatusChange];

const status: FieldKind<AccountStatus, never, AccountStatusChange> = {
  type: () => AccountStatus,
  given: { create: AccountStatus, update: AccountStatusChange },
};
const country: FieldKind<string> = {
  ...kind.text,
  rules: [IsCountry()],
  stored: (given) => given.toUpperCase(),
};
const NAME = 'Name, unique among accounts.';

export const accountFields = {
  id: idField('account'),
  name: required({ ...kind.label(100), limits: '2 to 100 characters.' }, NAME, {
    whenChanged: 'A 1-character name given at registration can be kept.',
  }),
  slug: derived(kind.slug, 'Unique name used in URLs.', { whenNew: 'Derived from the name if absent.' }),
  status: later(
    derived(status, 'Status of the account. Only active accounts can use the service.', {
      whenChanged: 'Suspends, activates or deletes the account.',
    }),
  ),
  city: later(
    derived(
      kind.orNull(kind.label(100)),
      'City, derived from the IP address at registration. Null if unknown.',
    ),
  ),
  country: later(
    derived(kind.orNull(country), 'Two-letter ISO country code, derived like the city. Null if unknown.'),
  ),
  timeZone: later(
    asked(
      kind.orNull({ ...kind.text, rules: [RestName('timezone'), IsTimeZone()] }),
      'IANA time zone, derived like the city. Null if unknown.',
    ),
  ),
  demandsPasskeys: later(
    asked(
      kind.flag,
      'True if moderators, developers and administrators must sign in to the console with a passkey. An ' +
        'emailed code then only adds the first one, within `passkeyHours`.',
    ),
  ),
  passkeyHours: later(
    preset(
      kind.whole(1, 720),
      24,
      'Hours in which an emailed code adds the first passkey, from the requirement, an invitation or a reset.',
    ),
  ),
  createdAt,
  updatedAt,
};

@AlsoInGraphQL(ACCOUNT_EXPORT)
@RecordType(accountFields, 'A studio. It owns users, API keys, games and boards.')
export class Account extends rowOf(accountFields) {
  static override tableName = 'accounts';
  static override unaudited = [] as string[];

  timezone!: string | null;
  /** Since when it demands passkeys of moderators and above; null: it does not. */
  passkeysDemandedAt!: Date | null;

  get timeZone(): string | null {
    return this.timezone;
  }

  get demandsPasskeys(): boolean {
    return this.passkeysDemandedAt !== null;
  }

  override globalNames(): GlobalName[] {
    if (this.deletedAt) return [];
    return [
      { kind: 'account_name', name: this.name },
      { kind: 'account_slug', name: this.slug },
    ];
  }
}

export const CreateAccountInput = newInput('CreateAccountInput', 'A new account.', {
  ...accountFields,
  name: required(kind.label(100, 2), NAME),
});
export type CreateAccountInput = Created<typeof accountFields>;

export const UpdateAccountInput = changeInput(
  'UpdateAccountInput',
  'Changes to an account. Absent fields stay unchanged.',
  accountFields,
);
export type UpdateAccountInput = Updated<typeof accountFields> & { deleted?: boolean };
