import { Field, InputType, Int } from 'type-graphql';
import { Matches, MaxLength, NotNull, Rule } from '../../graphql/rules.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';

const FORM = /^[A-Za-z0-9]{3,50}$/;
const LONGEST_DESCRIPTION = 2_000;

function IsPositive(): PropertyDecorator {
  return Rule('range', 'must be at least 1', (value) => typeof value === 'number' && value >= 1, {
    minimum: 1,
  });
}

@InputType({ description: 'A new jam code.' })
export class CreateJamCodeInput {
  @Matches('code', FORM, 'must be 3 to 50 letters and digits')
  @Field(() => String, {
    description: 'The code, 3 to 50 letters and digits; capitals do not matter. Unique.',
  })
  code!: string;

  @MaxLength(LONGEST_DESCRIPTION)
  @Field(() => String, { description: 'What it is for, up to 2,000 characters.' })
  description!: string;

  @Field(() => DateTime, { nullable: true, description: 'Until when it can be used; null: for ever.' })
  expiresAt?: Date | null;

  @IsPositive()
  @Field(() => Int, { nullable: true, description: 'How many accounts can use it; null: any number.' })
  maxUses?: number | null;

  @Field(() => JsonObject, { nullable: true, description: 'Free-form settings; empty by default.' })
  features?: Record<string, unknown> | null;
}

@InputType({ description: 'Changes of a jam code; what is absent stays, null clears what may be empty.' })
export class UpdateJamCodeInput {
  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'Whether it can be used.' })
  active?: boolean;

  @NotNull()
  @MaxLength(LONGEST_DESCRIPTION)
  @Field(() => String, { nullable: true, description: 'What it is for, up to 2,000 characters.' })
  description?: string;

  @Field(() => DateTime, { nullable: true, description: 'Until when it can be used; null: for ever.' })
  expiresAt?: Date | null;

  @IsPositive()
  @Field(() => Int, {
    nullable: true,
    description: 'How many accounts can use it; null: any number. Below what was used: nobody else.',
  })
  maxUses?: number | null;

  @NotNull()
  @Field(() => JsonObject, { nullable: true, description: 'Free-form settings, for uses to come.' })
  features?: Record<string, unknown>;
}
