import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { GlobalName } from '../../db/names.js';
import { BareRow, Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { Matches, MaxLength, NotNull, Rule } from '../../graphql/rules.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';

@ObjectType({
  implements: Node,
  description: 'A promotional code that can be given at registration.',
  simpleResolvers: true,
})
export class JamCode extends Row {
  static override tableName = 'jam_codes';
  static override unaudited = ['code', 'currentUses', 'lastRedeemedAt'];
  static override ids = { id: 'jamCode' } as const;

  @Field(() => ID, { description: 'The id, `jam_<uuid>`.' })
  override id!: string;

  @Field(() => String, { description: 'The code, in capitals, unique.' })
  code!: string;

  @Field(() => String, { description: 'What it is for.' })
  description!: string;

  @Field(() => Boolean, { description: 'True if it can be used.' })
  active!: boolean;

  @Field(() => DateTime, { nullable: true, description: 'When it expires. Null: never.' })
  expiresAt!: Date | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Maximum number of accounts that can use it. Null: no limit.',
  })
  maxUses!: number | null;

  @Field(() => Int, { description: 'Number of accounts that used it.' })
  currentUses!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of further accounts that can use it. Null: no limit.',
  })
  get remainingUses(): number | null {
    return this.maxUses === null ? null : Math.max(0, this.maxUses - this.currentUses);
  }

  @Field(() => DateTime, { nullable: true, description: 'When it was last used. Null: never.' })
  lastRedeemedAt!: Date | null;

  @Field(() => JsonObject, { description: 'Free-form settings. Each use keeps a copy of them.' })
  features!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;

  override globalNames(): GlobalName[] {
    return [{ kind: 'jam_code', name: this.code }];
  }
}

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

  @Field(() => JsonObject, {
    name: 'features',
    simple: false,
    description: 'The `features` of the code at that time.',
  })
  meta!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'When it was used.' })
  redeemedAt!: Date;
}

const JAM_CODE_PATTERN = /^[A-Za-z0-9]{3,50}$/;
const LONGEST_DESCRIPTION = 2_000;

function IsPositive(): PropertyDecorator {
  return Rule('range', 'must be at least 1', (value) => typeof value === 'number' && value >= 1, {
    minimum: 1,
  });
}

@InputType({ description: 'A new jam code.' })
export class CreateJamCodeInput {
  @Matches('code', JAM_CODE_PATTERN, 'must be 3 to 50 letters and digits')
  @Field(() => String, {
    description: 'The code, 3 to 50 letters and digits, case-insensitive and unique.',
  })
  code!: string;

  @MaxLength(LONGEST_DESCRIPTION)
  @Field(() => String, { description: 'What it is for, up to 2,000 characters.' })
  description!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it expires. Null: never.' })
  expiresAt?: Date | null;

  @IsPositive()
  @Field(() => Int, {
    nullable: true,
    description: 'Maximum number of accounts that can use it. Null: no limit.',
  })
  maxUses?: number | null;

  @Field(() => JsonObject, { nullable: true, description: 'Free-form settings; empty by default.' })
  features?: Record<string, unknown> | null;
}

@InputType({
  description: 'Changes to a jam code. Absent fields stay unchanged. Null clears optional fields.',
})
export class UpdateJamCodeInput {
  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'True if it can be used.' })
  active?: boolean;

  @NotNull()
  @MaxLength(LONGEST_DESCRIPTION)
  @Field(() => String, { nullable: true, description: 'What it is for, up to 2,000 characters.' })
  description?: string;

  @Field(() => DateTime, { nullable: true, description: 'When it expires. Null: never.' })
  expiresAt?: Date | null;

  @IsPositive()
  @Field(() => Int, {
    nullable: true,
    description:
      'Maximum number of accounts that can use it. Null: no limit. A number below the current uses prevents further use.',
  })
  maxUses?: number | null;

  @NotNull()
  @Field(() => JsonObject, { nullable: true, description: 'Free-form settings, for future uses.' })
  features?: Record<string, unknown>;
}
