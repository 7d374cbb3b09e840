import { Field, ID, ObjectType } from 'type-graphql';
import type { Game } from '../../games/game.js';
import { DateTime } from '../../graphql/scalars.js';
import { type Board, BoardType, PublicField, SortDirection } from '../board/board.js';

@ObjectType({ description: 'A game as everybody may see it.', simpleResolvers: true })
export class PublicGame {
  @Field(() => ID, { description: 'The id, `gam_<uuid>`.' })
  id!: string;

  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'Its name in addresses.' })
  slug!: string;

  @Field(() => String, { nullable: true, description: 'Its description.' })
  description!: string | null;

  @Field(() => String, { nullable: true, description: "Address of the game's own page." })
  pageUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'Colour of its public pages, `#rrggbb`.' })
  accentColour!: string | null;

  @Field(() => [String], { description: 'Free labels.' })
  tags!: string[];

  /** Not in the schema: the board may be unpublished. */
  defaultBoardId!: string | null;

  /** Not in the schema: names of its pictures. */
  logo!: string | null;
  cover!: string | null;

  static of(game: Game): PublicGame {
    const { id, name, slug, description, pageUrl, accentColour, tags, defaultBoardId, logo, cover } = game;
    const shown = { id, name, slug, description, pageUrl, accentColour, tags };
    return Object.assign(new PublicGame(), { ...shown, defaultBoardId, logo, cover });
  }
}

@ObjectType({ description: 'A published board as everybody may see it.', simpleResolvers: true })
export class PublicBoard {
  @Field(() => ID, { description: 'The id, `brd_<uuid>`.' })
  id!: string;

  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'Its name in addresses.' })
  slug!: string;

  @Field(() => String, { description: 'Its short name.' })
  shortCode!: string;

  @Field(() => String, { nullable: true, description: 'Its description.' })
  description!: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the icon it is shown with.' })
  icon!: string | null;

  @Field(() => String, { nullable: true, description: 'Unit of its values, e.g. `points`.' })
  unit!: string | null;

  @Field(() => Boolean, { description: 'True if it takes submissions, within its bounds.' })
  isActive!: boolean;

  @Field(() => [PublicField], { description: 'Facts that its page shows beside name and value.' })
  publicFields!: PublicField[];

  @Field(() => BoardType, { description: 'Its type: the values that it ranks.' })
  boardType!: BoardType;

  @Field(() => SortDirection, { description: 'The better values: high or low.' })
  sortDirection!: SortDirection;

  @Field(() => DateTime, { nullable: true, description: 'Start of submissions.' })
  startsAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'End of submissions.' })
  endsAt!: Date | null;

  @Field(() => [String], { description: 'Free labels.' })
  tags!: string[];

  /** Not in the schema; field resolvers of modules above read it. */
  board!: Board;

  static of(board: Board): PublicBoard {
    const { id, name, slug, shortCode, description, icon, unit, isActive, boardType, sortDirection } = board;
    const { startsAt, endsAt, tags, publicFields } = board;
    const shown = { id, name, slug, shortCode, description, icon, unit, isActive, boardType, sortDirection };
    return Object.assign(new PublicBoard(), { ...shown, startsAt, endsAt, tags, publicFields, board });
  }
}
