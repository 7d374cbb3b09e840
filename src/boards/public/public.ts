import { Field, ID, ObjectType } from 'type-graphql';
import type { Game } from '../../games/game.js';
import { connectionOf } from '../../graphql/connection.js';
import { DateTime } from '../../graphql/scalars.js';
import { type Board, BoardType, PublicField, SortDirection } from '../board/board.js';

@ObjectType({ description: 'The public part of a game.', simpleResolvers: true })
export class PublicGame {
  /** Not `id`: a client's cache must not merge it with the game. */
  @Field(() => ID, { description: 'The id, `gam_<uuid>`.' })
  gameId!: string;

  @Field(() => String, { description: 'Name, shown to players.' })
  name!: string;

  @Field(() => String, { description: 'Name used in URLs.' })
  slug!: string;

  @Field(() => String, { nullable: true, description: 'Description, shown on its page.' })
  description!: string | null;

  @Field(() => String, { nullable: true, description: "URL of the game's website." })
  pageUrl!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Accent colour of its public pages, `#rrggbb`. Null: the default.',
  })
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
    const shown = { gameId: id, name, slug, description, pageUrl, accentColour, tags };
    return Object.assign(new PublicGame(), { ...shown, defaultBoardId, logo, cover });
  }
}

@ObjectType({ description: 'The public part of a published board.', simpleResolvers: true })
export class PublicBoard {
  /** Not `id`: a client's cache must not merge it with the board. */
  @Field(() => ID, { description: 'The id, `brd_<uuid>`.' })
  boardId!: string;

  @Field(() => String, { description: 'Name, shown to players.' })
  name!: string;

  @Field(() => String, { description: 'Name used in URLs.' })
  slug!: string;

  @Field(() => String, { description: 'Short code, unique among all boards, case-insensitive.' })
  shortCode!: string;

  @Field(() => String, { nullable: true, description: 'Description, shown on its page.' })
  description!: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the icon it is shown with.' })
  icon!: string | null;

  @Field(() => String, { nullable: true, description: 'Unit of its values, e.g. `points`. Null: none.' })
  unit!: string | null;

  @Field(() => Boolean, { description: 'True if it accepts submissions between its start and end.' })
  isActive!: boolean;

  @Field(() => [PublicField], { description: 'Extra information that its page shows with each score.' })
  publicFields!: PublicField[];

  @Field(() => BoardType, { description: 'Type of the board: which values it ranks.' })
  boardType!: BoardType;

  @Field(() => SortDirection, { description: 'Whether high or low scores rank first.' })
  sortDirection!: SortDirection;

  @Field(() => DateTime, { nullable: true, description: 'When submissions open. Null: immediately.' })
  startsAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When submissions close. Null: never.' })
  endsAt!: Date | null;

  @Field(() => [String], { description: 'Free labels.' })
  tags!: string[];

  /** Not in the schema; field resolvers of modules above read it. */
  board!: Board;

  static of(board: Board): PublicBoard {
    const { id, name, slug, shortCode, description, icon, unit, isActive, boardType, sortDirection } = board;
    const { startsAt, endsAt, tags, publicFields } = board;
    const shown = { name, slug, shortCode, description, icon, unit, isActive, boardType, sortDirection };
    return Object.assign(new PublicBoard(), {
      ...shown,
      boardId: id,
      startsAt,
      endsAt,
      tags,
      publicFields,
      board,
    });
  }
}

export const PublicBoardConnection = connectionOf(() => PublicBoard, 'PublicBoard');
