import { Args, ArgsType, Ctx, Field, ID, Query, Resolver } from 'type-graphql';
import { ID_OF_ANY_KIND, kindOf } from '../../base/ids.js';
import { Allow } from '../../graphql/access.js';
import { connectionOf, SortedBy, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Node, references } from '../../graphql/node.js';
import { IdArg, IsIdOf, Rule } from '../../graphql/rules.js';
import { Account } from '../account.js';
import { User } from '../users/user.js';
import { AuditAction, AuditEntry, listAuditEntries, loadAuditEntry, SORTABLE_ENTRIES } from './entry.js';

const AuditEntryConnection = connectionOf(() => AuditEntry, 'AuditEntry');

@ArgsType()
class AuditEntriesArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only actions in this account.' })
  accountId?: string | null;

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
    description: 'Only actions on this flag, player, device, review or user.',
  })
  subjectId?: string | null;

  @Field(() => AuditAction, { nullable: true, description: 'Only actions of this kind.' })
  action?: AuditAction | null;
}

@Resolver(() => AuditEntry)
export class AuditResolver {
  @Allow('admin')
  @Query(() => AuditEntry, { description: 'One audit log entry.' })
  auditEntry(@IdArg('auditEntry') id: string, @Ctx() context: Context) {
    return loadAuditEntry(context, id);
  }

  @Allow('admin')
  @SortedBy(SORTABLE_ENTRIES)
  @Query(() => AuditEntryConnection, {
    description: "The audit log of the caller's account, newest first. Superadmins see all accounts.",
  })
  auditEntries(@Args(() => AuditEntriesArgs) args: AuditEntriesArgs, @Ctx() context: Context) {
    return listAuditEntries(context, args, args);
  }
}

references(AuditEntry, { account: Account, user: User, subject: Node });
