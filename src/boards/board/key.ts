import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { Nested } from '../../graphql/input-checks.js';
import { IsIdOf } from '../../graphql/rules.js';
import { OneOf } from '../../graphql/views.js';

@InputType({ description: 'The slug of a board within its game.' })
class BoardSlug {
  @Field(() => String, { description: "The game's slug." })
  game!: string;

  @Field(() => String, { description: "The board's slug." })
  board!: string;
}

@OneOf()
@InputType({ description: 'A board by its id, its short code or its slug: exactly one of these.' })
class BoardKey {
  @IsIdOf('board')
  @Field(() => ID, { nullable: true, description: 'The id.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'The short code, case-insensitive.' })
  shortCode?: string | null;

  @Field(() => BoardSlug, {
    nullable: true,
    description: 'The slug. If several boards share it, the active one, otherwise the one that started last.',
  })
  slug?: BoardSlug | null;
}

@ArgsType()
export class BoardKeyArgs {
  @Nested()
  @Field(() => BoardKey, { description: 'Its id, its short code, or its slug within a game.' })
  by!: BoardKey;
}

/** Finds a board in one of the three ways. */
export function boardBy<T>(
  { id, shortCode, slug }: BoardKey,
  ways: { id(id: string): T; shortCode(code: string): T; slug(game: string, board: string): T },
): T {
  if (id != null) return ways.id(id);
  return shortCode != null ? ways.shortCode(shortCode) : ways.slug(slug!.game, slug!.board);
}
