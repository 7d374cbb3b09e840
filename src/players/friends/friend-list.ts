import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { isId } from '../../base/ids.js';
import { IsIdOf, Rule } from '../../graphql/rules.js';

/** Players of one list. */
export const MOST_FRIENDS = 1_000;

/** A list of ids of players. */
export function ArePlayers(min: number, max: number): PropertyDecorator {
  return Rule(
    'ids',
    `must be ${min} to ${max} ids like ide_<uuid>`,
    (value) =>
      Array.isArray(value) &&
      value.length >= min &&
      value.length <= max &&
      value.every((id) => isId('identity', id)),
    { minItems: min, maxItems: max },
  );
}

@InputType({ description: 'The whole list of a player’s friends.' })
export class SetFriendsInput {
  @IsIdOf('identity')
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @ArePlayers(0, MOST_FRIENDS)
  @Field(() => [ID], {
    description: 'Its friends from now on, up to 1,000 other players of the same game; none clears the list.',
  })
  ids!: string[];
}

@InputType({ description: 'Friends to add to a list or to take out of it.' })
export class ChangeFriendsInput {
  @IsIdOf('identity')
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @ArePlayers(1, MOST_FRIENDS)
  @Field(() => [ID], { description: 'The friends, 1 to 1,000 other players of the same game.' })
  ids!: string[];
}

@ObjectType({ description: 'A list of friends that was written.', simpleResolvers: true })
export class FriendListPayload {
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => Int, { description: 'Number of its friends now, deleted players apart.' })
  count!: number;
}
