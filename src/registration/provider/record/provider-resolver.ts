import { Field, InputType } from 'type-graphql';
import { Account } from '../../../accounts/account.js';
import { references } from '../../../graphql/node.js';
import { crudOf } from '../../../graphql/records/crud.js';
import { IS_DELETED, listsOf } from '../../../graphql/records/list.js';
import {
  CreateIdentityProviderInput,
  IdentityProvider,
  UpdateIdentityProviderInput,
} from './identity-provider.js';
import { SORTABLE_PROVIDERS } from './read.js';

@InputType({ description: 'Which identity providers to list.' })
class IdentityProviderFilter {
  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}

const lists = listsOf(() => IdentityProvider, 'IdentityProvider', {
  sortable: SORTABLE_PROVIDERS,
  filter: IdentityProviderFilter,
  account: 'Only that of this account.',
});

export const IdentityProviderCrud = crudOf(() => IdentityProvider, {
  kind: 'identityProvider',
  lists,
  create: CreateIdentityProviderInput,
  update: UpdateIdentityProviderInput,
  allow: { read: ['people'], create: ['superadmin'], update: ['people'], remove: ['superadmin'] },
  texts: {
    record: 'The single sign-on.',
    one: 'The single sign-on of an account.',
    list: "Single sign-on of the caller's account, at most one. Superadmins see all accounts.",
    create: 'Lets an account use single sign-on. Only superadmins can.',
    update: 'Changes, deletes or restores the single sign-on of an account.',
  },
});

references(IdentityProvider, { account: Account });
