import { Field, ID, ObjectType } from 'type-graphql';
import { BareRow } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';

@ObjectType({
  implements: Node,
  description: "A moderator's comment on a player or on one of the player's flags. Players never see it.",
  simpleResolvers: true,
})
export class Comment extends BareRow {
  static override tableName = 'comments';
  static override ids = {
    id: 'comment',
    accountId: 'account',
    gameId: 'game',
    identityId: 'identity',
    scoreFlagId: 'scoreFlag',
    authorId: 'user',
  } as const;

  @Field(() => ID, { description: 'The id, `cmt_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of the player.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game of the player.' })
  gameId!: string;

  @Field(() => ID, { description: 'The player it is about.' })
  identityId!: string;

  @Field(() => ID, { nullable: true, description: 'The flag it is about. Null: the player in general.' })
  scoreFlagId!: string | null;

  @Field(() => ID, { description: 'The user who wrote it.' })
  authorId!: string;

  @Field(() => String, { description: 'The text.' })
  text!: string;

  @Field(() => DateTime, { description: 'When it was written.' })
  createdAt!: Date;
}
