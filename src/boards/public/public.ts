import { Field, ID, ObjectType } from 'type-graphql';
import type { Game } from '../../games/game.js';
import { connectionOf } from '../../graphql/connection.js';
import { HasFields, reworded, valuesIn, withFields } from '../../graphql/records/record.js';
import { type Board, boardFields } from '../board/board.js';

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

  @Field(() => [String], {
    description: 'Origins of pages that may show its stream overlays in a frame, beside the service itself.',
  })
  overlayOrigins!: string[];

  @Field(() => [String], { description: 'Free labels.' })
  tags!: string[];

  /** Not in the schema: the board may be unpublished. */
  defaultBoardId!: string | null;

  /** Not in the schema: names of its pictures. */
  logo!: string | null;
  cover!: string | null;

  static of(game: Game): PublicGame {
    const { id, name, slug, description, pageUrl, accentColour, overlayOrigins, tags } = game;
    const { defaultBoardId, logo, cover } = game;
    const shown = { gameId: id, name, slug, description, pageUrl, accentColour, overlayOrigins, tags };
    return Object.assign(new PublicGame(), { ...shown, defaultBoardId, logo, cover });
  }
}

const shown = {
  /** Not `id`: a client's cache must not merge it with the board. */
  boardId: boardFields.id,
  name: boardFields.name,
  slug: reworded(boardFields.slug, 'Name used in URLs.'),
  shortCode: boardFields.shortCode,
  description: boardFields.description,
  icon: boardFields.icon,
  unit: boardFields.unit,
  format: reworded(boardFields.format, 'How its values are shown. Null: as numbers.'),
  isActive: boardFields.isActive,
  publicFields: reworded(boardFields.publicFields, 'Extra information that its page shows with each score.'),
  defaultView: boardFields.defaultView,
  boardType: boardFields.boardType,
  keepStrategy: boardFields.keepStrategy,
  proof: reworded(
    boardFields.proof,
    'Whether it ranks new runs only of players who have proven who they are.',
  ),
  sortDirection: boardFields.sortDirection,
  startsAt: boardFields.startsAt,
  endsAt: boardFields.endsAt,
  tags: boardFields.tags,
};

@HasFields(shown)
@ObjectType({ description: 'The public part of a published board.', simpleResolvers: true })
export class PublicBoard extends withFields(shown) {
  /** Not in the schema; field resolvers of modules above read it. */
  board!: Board;

  static of(board: Board): PublicBoard {
    return Object.assign(new PublicBoard(), valuesIn(shown, { ...board, boardId: board.id }), { board });
  }
}

export const PublicBoardConnection = connectionOf(() => PublicBoard, 'PublicBoard');
