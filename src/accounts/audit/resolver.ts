import { Ctx, Field, FieldResolver, ID, InputType, Resolver, Root } from 'type-graphql';
import { ID_OF_ANY_KIND, kindOf } from '../../base/ids.js';
import type { Context } from '../../graphql/context.js';
import { Node, references } from '../../graphql/node.js';
import { listBelow } from '../../graphql/records/below.js';
import { crudOf } from '../../graphql/records/crud.js';
import { DateTimeRange, listsOf } from '../../graphql/records/list.js';
import { IsIdOf, Rule } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { Account } from '../account.js';
import { ApiKey } from '../keys/api-key.js';
import { colleagueName } from '../users/name.js';
import { User } from '../users/user.js';
import { AuditAction, AuditEntry, listAuditEntries, SORTABLE_ENTRIES, shownAddress } from './entry.js';

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

  @Only('graphql')
  @Field(() => DateTimeRange, { nullable: true, description: 'Only actions in this span.' })
  createdAt?: DateTimeRange | null;

  @Only('rest')
  @Field(() => DateTime, { nullable: true, description: 'Only actions before this moment.' })
  createdBefore?: Date | null;

  @Only('rest')
  @Field(() => DateTime, { nullable: true, description: 'Only actions after this moment.' })
  createdAfter?: Date | null;
}

const lists = listsOf(() => AuditEntry, 'AuditEntry', {
  sortable: SORTABLE_ENTRIES,
  filter: AuditEntryFilter,
  account: 'Only actions in this account.',
});

const LEFT_OUT =
  'Entries about claimed, acknowledged and expired rewards are listed only by `subjectId` or `action`.';

export const AuditQueries = crudOf(() => AuditEntry, {
  kind: 'auditEntry',
  lists,
  allow: { read: ['read'] },
  texts: {
    one: 'One audit log entry.',
    list: `The audit log of the caller's account. Superadmins see all accounts. ${LEFT_OUT}`,
  },
});

export const auditBelowAccount = listBelow(Account, 'auditEntries', {
  lists,
  read: listAuditEntries,
  own: ({ id }) => ({ accountId: id }),
  description: `Its audit log. ${LEFT_OUT}`,
});

@Resolver(() => AuditEntry)
export class AuditEntryResolver {
  @Only('graphql')
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Name of the colleague who did it. Null for the service itself, and for a superadmin of another account.',
  })
  userName(@Root() entry: AuditEntry, @Ctx() context: Context) {
    return colleagueName(context, entry, entry.userId);
  }
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The address it came from, for SESSION_ADDRESS_DAYS. Null for the service itself; those of ' +
      'superadmins are shown only to superadmins.',
  })
  ipAddress(@Root() entry: AuditEntry, @Ctx() context: Context) {
    return shownAddress(entry, context);
  }
}

references(AuditEntry, { account: Account, user: User, apiKey: ApiKey, subject: Node });
