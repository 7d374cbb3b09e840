import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Board } from '../../boards/board/board.js';
import { IsIdOf } from '../../graphql/rules.js';
import { IsViewName } from '../../scores/standings/view-args.js';
import { Closing } from '../closing.js';

@InputType({ description: 'A ranking whose end is tried.' })
export class RehearseBoardInput {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board. It stays as it is.' })
  id!: string;

  @IsViewName()
  @Field(() => String, {
    nullable: true,
    description:
      "A view with a closing rule, of which the current period ends. Absent: the board's own ranking.",
  })
  view?: string | null;
}

@ObjectType({ description: 'The result of `rehearseBoard`.', simpleResolvers: true })
export class RehearseBoardPayload {
  @Field(() => Board, { description: 'The copy, which is deleted after a week.' })
  board!: Board;

  @Field(() => [Closing], { description: 'Its closings, one for each group, at most 100.' })
  closings!: Closing[];

  /** What was copied: its webhooks would be sent. */
  source!: Board;
}
