import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { isTagValue } from '../../boards/views/tag-value.js';
import { IsIdOf, MaxLength, Rule } from '../../graphql/rules.js';
import { JsonObject } from '../../graphql/scalars.js';

/** Most tags that one request names. */
const MOST_TAGS = 16;

function ArePlayerTags(): PropertyDecorator {
  return Rule(
    'tags',
    `must be at most ${MOST_TAGS} tags with values of 1 to 64 characters without comma and colon, or null`,
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.keys(value).length <= MOST_TAGS &&
      Object.values(value).every((one) => one === null || isTagValue(one)),
  );
}

@InputType({ description: "Changes to a player's tags." })
export class SetPlayerTagsInput {
  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'The player. Default for game clients: their own.' })
  identityId?: string | null;

  @ArePlayerTags()
  @Field(() => JsonObject, {
    description: 'New tag values, e.g. `{guild: "Ravens"}`. Null removes a tag. Absent tags stay unchanged.',
  })
  tags!: Record<string, string | null>;

  @MaxLength(512)
  @Field(() => String, {
    nullable: true,
    description: 'A nonce, required for game clients. Can be sent as a header instead.',
  })
  nonce?: string | null;
}

@ObjectType({ description: 'The tags that a player has.', simpleResolvers: true })
export class PlayerTags {
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => JsonObject, { description: 'Current tags, e.g. `{guild: "Ravens"}`.' })
  tags!: Record<string, string>;
}
