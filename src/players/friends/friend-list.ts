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

@InputType({ description: 'All friends of a player.' })
export class SetFriendsInput {
  @IsIdOf('identity')
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @ArePlayers(0, MOST_FRIENDS)
  @Field(() => [ID], {
    description:
      'The new list of friends: up to 1,000 other players of the same game. An empty list clears it.',
  })
  ids!: string[];
}

@InputType({ description: 'Friends to add or remove.' })
export class ChangeFriendsInput {
  @IsIdOf('identity')
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @ArePlayers(1, MOST_FRIENDS)
  @Field(() => [ID], { description: 'The friends, 1 to 1,000 other players of the same game.' })
  ids!: string[];
}

@ObjectType({ description: 'The updated list of friends.', simpleResolvers: true })
export class FriendListPayload {
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => Int, { description: 'Number of friends, not counting deleted players.' })
  count!: number;
}
