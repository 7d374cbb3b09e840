import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { areTags, MOST_TAGS } from '../../boards/views/tag-value.js';
import { IsIdOf, MaxLength, Rule } from '../../graphql/rules.js';
import { JsonObject } from '../../graphql/scalars.js';

function ArePlayerTags(): PropertyDecorator {
  return Rule(
    'tags',
    `must be at most ${MOST_TAGS} tags with values of 1 to 64 characters without comma and colon, or null`,
    (value) => areTags(value, true),
  );
}

@InputType({ description: 'Tags of a player that change.' })
export class SetPlayerTagsInput {
  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'The player; by default a game client’s own.' })
  identityId?: string | null;

  @ArePlayerTags()
  @Field(() => JsonObject, {
    description:
      'The tags with their new values, e.g. `{guild: "Ravens"}`; null removes one. Tags that are not named stay.',
  })
  tags!: Record<string, string | null>;

  @MaxLength(512)
  @Field(() => String, {
    nullable: true,
    description: 'A fresh nonce, which game clients need. It may be sent as a header instead.',
  })
  nonce?: string | null;
}

@ObjectType({ description: 'The tags that a player has.', simpleResolvers: true })
export class PlayerTags {
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => JsonObject, { description: 'Its present tags, e.g. `{guild: "Ravens"}`.' })
  tags!: Record<string, string>;
}
