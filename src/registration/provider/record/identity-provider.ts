import { UserRole } from '../../../accounts/users/role.js';
import type { GlobalName } from '../../../db/names.js';
import { enumOf } from '../../../graphql/enums.js';
import { kind } from '../../../graphql/records/kinds.js';
import {
  asked,
  type Created,
  changeInput,
  createdAt,
  fixed,
  idField,
  maybe,
  newInput,
  preset,
  RecordType,
  required,
  rowOf,
  type Updated,
  updatedAt,
} from '../../../graphql/records/record.js';
import { claimName, domains, groupRoles, requestedScopes } from './kinds.js';

const IdentityProviderKind = enumOf(
  'IdentityProviderKind',
  'Whose issuer an account uses for single sign-on.',
  {
    own: 'Its own.',
    installation: 'That of the installation (OIDC_ISSUER).',
  },
);
export const providerFields = {
  id: idField('identityProvider'),
  accountId: fixed(required(kind.idOf('account'), 'The account it belongs to.')),
  kind: fixed(
    required(kind.oneOf(IdentityProviderKind), 'Whose issuer it uses. Never changes.', {
      whenNew: "With `OWN`, the account's administrators set its issuer.",
    }),
  ),
  name: preset(kind.label(50), 'single sign-on', 'Name shown when signing in.'),
  issuer: maybe(
    kind.issuerUrl,
    "Address of the account's own issuer. Null: that of the installation, or not set yet.",
  ),
  clientId: maybe(kind.clientText, 'Client id at its own issuer.'),
  clientSecret: asked(kind.clientText, 'Client secret at its own issuer. Never returned.'),
  scopes: preset(
    requestedScopes,
    'openid email profile',
    'Scopes that its issuer is asked for, separated by spaces.',
  ),
  groupsClaim: preset(
    claimName,
    'groups',
    "Claim with a user's groups. Dots lead into objects, like `realm_access.roles`.",
  ),
  domains: preset(
    domains,
    [],
    'People with a verified address in one of these domains become users by signing in.',
    { whenChanged: "Those of the installation's issuer are changed by superadmins." },
  ),
  groupRoles: preset(
    groupRoles,
    [],
    'Roles of groups, given at each sign-in; of several the highest. Empty: sign-ins change no role.',
  ),
  defaultRole: preset(
    kind.oneOf(UserRole),
    'viewer',
    'Role of new users, and of users in none of the groups.',
  ),
  onlyProvider: preset(
    kind.flag,
    false,
    'True: mailed codes and pasted keys do not open the console; passkeys of administrators still do.',
  ),
  keyDays: maybe(
    kind.whole(1, 365),
    'Keys of users who have not signed in for so many days are refused. Null: never.',
  ),
  createdAt,
  updatedAt,
};

@RecordType(providerFields, 'Single sign-on of an account with OpenID Connect.')
export class IdentityProvider extends rowOf(providerFields) {
  static override tableName = 'identity_providers';
  static override unaudited = ['sealedSecret'];

  /** Encrypted (Seal). */
  sealedSecret!: Buffer | null;

  /** New users of the installation's issuer find their account by the domain. */
  override globalNames(): GlobalName[] {
    if (this.deletedAt || this.kind === 'own') return [];
    return this.domains.map((name) => ({ kind: 'provider_domain', name }));
  }
}

export const CreateIdentityProviderInput = newInput(
  'CreateIdentityProviderInput',
  'Single sign-on of an account.',
  providerFields,
);
export type CreateIdentityProviderInput = Created<typeof providerFields>;

export const UpdateIdentityProviderInput = changeInput(
  'UpdateIdentityProviderInput',
  'Changes to the single sign-on of an account. Absent fields stay unchanged.',
  providerFields,
  { deletion: 'Set to true to delete the record, or to false to restore it; only for superadmins.' },
);
export type UpdateIdentityProviderInput = Updated<typeof providerFields> & { deleted?: boolean };

/** True once its issuer can be used. */
export function isConfigured({ kind, issuer, clientId, sealedSecret }: IdentityProvider): boolean {
  return kind === 'own' && issuer !== null && clientId !== null && sealedSecret !== null;
}
