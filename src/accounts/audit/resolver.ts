import { Field, ID, InputType } from 'type-graphql';
import { ID_OF_ANY_KIND, kindOf } from '../../base/ids.js';
import { Node, references } from '../../graphql/node.js';
import { listBelow } from '../../graphql/records/below.js';
import { crudOf } from '../../graphql/records/crud.js';
import { listsOf } from '../../graphql/records/list.js';
import { IsIdOf, Rule } from '../../graphql/rules.js';
import { Account } from '../account.js';
import { User } from '../users/user.js';
import { AuditAction, AuditEntry, listAuditEntries, SORTABLE_ENTRIES } from './entry.js';

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

const lists = listsOf(() => AuditEntry, 'AuditEntry', {
  sortable: SORTABLE_ENTRIES,
  filter: AuditEntryFilter,
  account: 'Only actions in this account.',
});

export const AuditQueries = crudOf(() => AuditEntry, {
  kind: 'auditEntry',
  lists,
  texts: {
    one: 'One audit log entry.',
    list: "The audit log of the caller's account. Superadmins see all accounts.",
  },
});

export const auditBelowAccount = listBelow(Account, 'auditEntries', {
  lists,
  read: listAuditEntries,
  own: ({ id }) => ({ accountId: id }),
  description: 'Its audit log.',
});

references(AuditEntry, { account: Account, user: User, subject: Node });
