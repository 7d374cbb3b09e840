import { Args, Ctx, Field, FieldResolver, ID, InputType, Query, Resolver, Root } from 'type-graphql';
import { ID_OF_ANY_KIND, kindOf } from '../../base/ids.js';
import { Allow } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Node, references } from '../../graphql/node.js';
import {
  filtersBelow,
  type ListArgs,
  listsOf,
  type RootListArgs,
  rootFilters,
} from '../../graphql/records/list.js';
import { IdArg, IsIdOf, Rule } from '../../graphql/rules.js';
import { Account } from '../account.js';
import { User } from '../users/user.js';
import { AuditAction, AuditEntry, listAuditEntries, loadAuditEntry, SORTABLE_ENTRIES } from './entry.js';

@InputType({ description: 'Which entries of the audit log to list.' })
class AuditEntryFilter {
  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only actions about this game.' })
  gameId?: string | null;

  @IsIdOf('user')
  @Field(() => ID, { nullable: true, description: 'Only actions of this user.' })
  userId?: string | null;

  @Rule(
    'id',
    'must be an id of this service, like brd_<uuid>',
    (value) => typeof value === 'string' && !!kindOf(value),
    {
      pattern: ID_OF_ANY_KIND,
    },
  )
  @Field(() => ID, {
    nullable: true,
    description: 'Only actions on the record with this id.',
  })
  subjectId?: string | null;

  @Field(() => AuditAction, { nullable: true, description: 'Only actions of this kind.' })
  action?: AuditAction | null;
}

const auditLists = listsOf(() => AuditEntry, 'AuditEntry', {
  sortable: SORTABLE_ENTRIES,
  filter: AuditEntryFilter,
  account: 'Only actions in this account.',
});

@Resolver(() => AuditEntry)
export class AuditResolver {
  @Allow('admin')
  @Query(() => AuditEntry, { description: 'One audit log entry.' })
  auditEntry(@IdArg('auditEntry') id: string, @Ctx() context: Context) {
    return loadAuditEntry(context, id);
  }

  @Allow('admin')
  @Query(() => auditLists.Connection, {
    description: "The audit log of the caller's account. Superadmins see all accounts.",
  })
  auditEntries(
    @Args(() => auditLists.RootArgs) args: RootListArgs<AuditEntryFilter>,
    @Ctx() context: Context,
  ) {
    return listAuditEntries(context, args, rootFilters(args));
  }
}

/** Fields that the audit log adds to an account. */
@Resolver(() => Account)
export class AccountAuditResolver {
  @FieldResolver(() => auditLists.Connection, { description: 'Its audit log.' })
  auditEntries(
    @Root() account: Account,
    @Args(() => auditLists.Args) args: ListArgs<AuditEntryFilter>,
    @Ctx() context: Context,
  ) {
    return listAuditEntries(context, args, filtersBelow(args, { accountId: account.id }));
  }
}

references(AuditEntry, { account: Account, user: User, subject: Node });
