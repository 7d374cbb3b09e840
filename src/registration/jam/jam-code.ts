import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';

@ObjectType({
  implements: Node,
  description: 'A promotional code that can be given at registration.',
  simpleResolvers: true,
})
export class JamCode extends Row {
  static override tableName = 'jam_codes';
  static override ids = { id: 'jamCode' } as const;

  @Field(() => ID, { description: 'The id, `jam_<uuid>`.' })
  override id!: string;

  @Field(() => String, { description: 'The code, in capitals; unique.' })
  code!: string;

  @Field(() => String, { description: 'What it is for.' })
  description!: string;

  @Field(() => Boolean, { description: 'Whether it can be used.' })
  active!: boolean;

  @Field(() => DateTime, { nullable: true, description: 'Until when it can be used; null: for ever.' })
  expiresAt!: Date | null;

  @Field(() => Int, { nullable: true, description: 'How many accounts can use it; null: any number.' })
  maxUses!: number | null;

  @Field(() => Int, { description: 'How many accounts have used it.' })
  currentUses!: number;

  @Field(() => Int, { nullable: true, description: 'How many more can use it; null: any number.' })
  get remainingUses(): number | null {
    return this.maxUses === null ? null : Math.max(0, this.maxUses - this.currentUses);
  }

  @Field(() => DateTime, { nullable: true, description: 'When it was used last.' })
  lastRedeemedAt!: Date | null;

  @Field(() => JsonObject, { description: 'Free-form settings; each use keeps them as they were.' })
  features!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}
