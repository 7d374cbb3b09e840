import { Field, ObjectType } from 'type-graphql';
import { UserRole } from '../../accounts/users/role.js';
import type { CodeHolder } from './holder.js';

@ObjectType({ description: 'What an invited person joins.', simpleResolvers: true })
export class Invitation {
  @Field(() => String, { description: 'Name of the account.' })
  accountName!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Name of the user who sent it. Null if that user left, or is a superadmin of another account.',
  })
  invitedBy!: string | null;

  @Field(() => UserRole, { description: 'What the user will be able to do.' })
  role!: UserRole;

  @Field(() => [String], {
    nullable: true,
    description: 'Names of the only games it reaches. Null: all games.',
  })
  gameNames!: string[] | null;

  @Field(() => Boolean, {
    description: 'True if the account has single sign-on, which accepts the invitation, too.',
  })
  hasSingleSignOn!: boolean;
}

/** @param holder of an invited user */
export function invitationOf(holder: CodeHolder): Invitation {
  const { account_name, inviter: invitedBy, role, game_names: gameNames, has_issuer } = holder;
  const named = { accountName: account_name ?? '', invitedBy, gameNames };
  return { ...named, role: role ?? 'viewer', hasSingleSignOn: has_issuer };
}
