import { type ClassType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { isId } from '../../base/ids.js';
import { IsIdOf, Rule } from '../../graphql/rules.js';
import { FailsAlone, Only } from '../../graphql/views.js';
import { Identity } from '../identities/identity.js';

const COUNT = 'Number of friends, not counting deleted players.';

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
  friendIds!: string[];
}

/** Some friends of a player. */
export interface ChangeFriendsInput {
  identityId: string;
  friendIds: string[];
}

/** Returns the input type of a change of some friends. The schema builder drops the rules of inherited fields. */
export function someFriends(mutation: string, description: string): ClassType<ChangeFriendsInput> {
  @InputType(`${mutation}Input`, { description })
  class Input implements ChangeFriendsInput {
    @IsIdOf('identity')
    @Field(() => ID, { description: 'The player.' })
    identityId!: string;

    @ArePlayers(1, MOST_FRIENDS)
    @Field(() => [ID], { description: 'The friends, 1 to 1,000 other players of the same game.' })
    friendIds!: string[];
  }
  return Input;
}

@ObjectType({ description: 'The updated list of friends.', simpleResolvers: true })
export class FriendList {
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => Int, { description: COUNT })
  count!: number;
}

/** Returns the payload type of a change of friends. REST has a list of its own. */
export function friendsPayload(mutation: string) {
  @ObjectType(`${mutation}Payload`, { description: 'The updated list of friends.', simpleResolvers: true })
  class Payload {
    @Only('graphql')
    @FailsAlone()
    @Field(() => Identity, { description: 'The player.' })
    identity!: () => Promise<Identity>;

    @Only('graphql')
    @Field(() => Int, { description: COUNT })
    count!: number;

    @Only('rest')
    @Field(() => FriendList, { description: 'The list.' })
    list!: FriendList;
  }
  return Payload;
}
