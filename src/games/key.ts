import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { Nested } from '../graphql/input-checks.js';
import { IsIdOf } from '../graphql/rules.js';
import { OneOf } from '../graphql/views.js';

@OneOf()
@InputType({ description: 'A game by its id or its slug: exactly one of these.' })
export class GameKey {
  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'The id.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'The slug.' })
  slug?: string | null;
}

@ArgsType()
export class GameKeyArgs {
  @Nested()
  @Field(() => GameKey, { description: 'Its id or its slug.' })
  by!: GameKey;
}
