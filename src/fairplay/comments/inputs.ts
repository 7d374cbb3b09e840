import { Field, ID, InputType } from 'type-graphql';
import { Nested } from '../../graphql/input-checks.js';
import { IsIdOf, MaxLength } from '../../graphql/rules.js';
import { OneOf } from '../../graphql/views.js';

/** As a note of a review. */
const LONGEST_COMMENT = 2_000;

@OneOf()
@InputType({ description: 'What a comment is about.' })
class CommentTarget {
  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'This player.' })
  identityId?: string | null;

  @IsIdOf('scoreFlag')
  @Field(() => ID, { nullable: true, description: 'This flag.' })
  scoreFlagId?: string | null;
}

@InputType({ description: 'A comment to add.' })
export class CreateCommentInput {
  @Nested()
  @Field(() => CommentTarget, { description: 'The player or the flag.' })
  target!: CommentTarget;

  @MaxLength(LONGEST_COMMENT)
  @Field(() => String, { description: 'The text, 1 to 2,000 characters.' })
  text!: string;
}
