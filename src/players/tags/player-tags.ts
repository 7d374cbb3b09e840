import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { areTags, isTagValue, MOST_TAGS } from '../../boards/views/tag-value.js';
import { IsIdOf, MaxLength, Rule } from '../../graphql/rules.js';
import { JsonObject } from '../../graphql/scalars.js';
import { FailsAlone, Only, RestName } from '../../graphql/views.js';
import { Identity } from '../identities/identity.js';
import { AreTagList, TagChange } from './tag.js';

const VALUES = ' with values of 1 to 64 characters without comma and colon, or null';

function ArePlayerTags(): PropertyDecorator {
  return Rule('tags', `must be at most ${MOST_TAGS} tags${VALUES}`, (value) => areTags(value, true));
}

@InputType({ description: "Changes to a player's tags." })
export class SetIdentityTagsInput {
  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'The player. Default for game clients: their own.' })
  identityId?: string | null;

  @Only('graphql')
  @AreTagList((value) => value == null || isTagValue(value), VALUES)
  @Field(() => [TagChange], {
    description: 'The changes, one per tag. Tags that are not named stay unchanged.',
  })
  tags?: TagChange[];

  @Only('rest')
  @RestName('tags')
  @ArePlayerTags()
  @Field(() => JsonObject, {
    nullable: true,
    description: 'New tag values, e.g. `{guild: "Ravens"}`. Null removes a tag. Absent tags stay unchanged.',
  })
  tagValues?: Record<string, string | null> | null;

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

@ObjectType({ description: 'The result of `setIdentityTags`.', simpleResolvers: true })
export class SetIdentityTagsPayload {
  @Only('graphql')
  @FailsAlone()
  @Field(() => Identity, { description: 'The player.' })
  identity!: () => Promise<Identity>;

  @Only('rest')
  @Field(() => PlayerTags, { description: 'The tags.' })
  playerTags!: PlayerTags;
}
