import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { connectionOf, PageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { references } from '../../graphql/node.js';
import { crudOf } from '../../graphql/records/crud.js';
import { listsOf } from '../../graphql/records/list.js';
import { CreateJamCodeInput, JamCode, JamCodeRedemption, UpdateJamCodeInput } from './jam-code.js';
import { jamSort, listRedemptions } from './read.js';

const JamCodeRedemptionConnection = connectionOf(() => JamCodeRedemption, 'JamCodeRedemption');

export const JamCodeCrud = crudOf(() => JamCode, {
  kind: 'jamCode',
  lists: listsOf(() => JamCode, 'JamCode', { sortable: jamSort }),
  create: CreateJamCodeInput,
  update: UpdateJamCodeInput,
  allow: { read: ['superadmin'], create: ['superadmin'], update: ['superadmin'] },
  permanent: true,
  texts: {
    record: 'The jam code.',
    one: 'One jam code. Superadmins only.',
    list: 'All jam codes. Superadmins only.',
    create: 'Creates a jam code. Superadmins only.',
    update: 'Changes a jam code. Superadmins only.',
  },
});

@Resolver(() => JamCode)
export class JamCodeResolver {
  @FieldResolver(() => JamCodeRedemptionConnection, { description: 'Its uses, newest first.' })
  redemptions(@Root() jam: JamCode, @Args(() => PageArgs) page: PageArgs, @Ctx() context: Context) {
    return listRedemptions(context, page, jam.id);
  }
}

references(JamCodeRedemption, { jamCode: JamCode, account: Account });
