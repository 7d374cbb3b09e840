import { Field, ID, ObjectType } from 'type-graphql';
import { BareRow } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';

@ObjectType({
  implements: Node,
  description: 'The use of a jam code by an account.',
  simpleResolvers: true,
})
export class JamCodeRedemption extends BareRow {
  static override tableName = 'jam_code_redemptions';
  static override ids = { id: 'redemption', jamCodeId: 'jamCode', accountId: 'account' } as const;

  @Field(() => ID, { description: 'The id, `red_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The code that was used.' })
  jamCodeId!: string;

  @Field(() => ID, { description: 'The account that used it, when it was registered.' })
  accountId!: string;

  @Field(() => JsonObject, { description: 'The features of the code as they were.' })
  meta!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'When it was used.' })
  redeemedAt!: Date;
}
