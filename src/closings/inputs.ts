import { Field, InputType, Int } from 'type-graphql';
import { Nested } from '../graphql/input-checks.js';
import { Rule } from '../graphql/rules.js';

const MONTH_MINUTES = 43_200;
const MONTH_HOURS = 720;
const MOST_PLACES = 100;

function IsWithin(minimum: number, maximum: number): PropertyDecorator {
  const holds = (value: unknown) => Number(value) >= minimum && Number(value) <= maximum;
  return Rule('range', `must be ${minimum} to ${maximum}`, holds, { minimum, maximum });
}

@InputType({ description: 'Has a ranking of a board closed when it ends.' })
export class ClosingRuleInput {
  @Field(() => String, {
    nullable: true,
    description: "Name of a view with periods, each group of which is closed. Null: the board's own ranking.",
  })
  view?: string | null;

  @IsWithin(0, MONTH_MINUTES)
  @Field(() => Int, {
    defaultValue: 0,
    description: 'Minutes for reviews between the end and the fixing of places, at most 43200.',
  })
  settleMinutes!: number;

  @IsWithin(1, MOST_PLACES)
  @Field(() => Int, {
    nullable: true,
    description:
      'Waits while flags on so many first places, or held runs that would be among them, are open. Null: does not wait.',
  })
  reviewTop?: number | null;

  @IsWithin(0, MONTH_HOURS)
  @Field(() => Int, { defaultValue: 72, description: 'At most so many hours after settling, at most 720.' })
  reviewHours!: number;

  @IsWithin(1, MOST_PLACES)
  @Field(() => Int, { defaultValue: 10, description: 'Number of places to fix, at most 100.' })
  places!: number;
}

@InputType({ description: 'Which rankings of a board are closed.' })
export class SetClosingRulesInput {
  @Nested()
  @Field(() => [ClosingRuleInput], { description: 'All rules. Rankings without a rule are not closed.' })
  rules!: ClosingRuleInput[];
}
