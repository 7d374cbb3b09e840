import type { Board } from '../../boards/board/board.js';
import { boardById } from '../../boards/board/read.js';
import { invalidView } from '../../boards/views/rules.js';
import type { Context } from '../../graphql/context.js';
import { type TagInput, valuesOf } from '../../players/tags/tag.js';

export type Tags = Record<string, string>;

/** Tags of a submission: as GraphQL lists them, or as REST's object. */
interface TaggedInput {
  boardId: string;
  tags?: TagInput[];
  tagValues?: Tags | null;
}

/**
 * Returns the tags of a submission if its board declares them; undefined without any. A board that does not exist is refused
 * later, with the submission.
 * @throws DomainError INVALID_VIEW
 */
export async function checkedTags(
  context: Context,
  { boardId, tags, tagValues }: TaggedInput,
): Promise<Tags | undefined> {
  const given = tagValues ?? valuesOf(tags ?? []);
  if (Object.keys(given).length === 0) return undefined;
  const board = await context.loaders.of(boardById).load(boardId);
  return board ? declaredTags(board, given, context.caller.kind === 'client') : undefined;
}

/**
 * Returns tags in the order of their names.
 * @param isClient true if a game client set them
 * @throws DomainError INVALID_VIEW: the board does not declare them
 */
export function declaredTags({ dimensions }: Pick<Board, 'dimensions'>, tags: Tags, isClient: boolean): Tags {
  const given = Object.entries(tags);
  for (const [name, value] of given) {
    const dimension = dimensions.find((one) => one.name === name);
    if (!dimension) {
      const known = dimensions.map((one) => one.name).join(', ') || 'none';
      throw invalidView(`The board has no tag ${name}. Its tags: ${known}`);
    }
    if (dimension.source === 'player') {
      throw invalidView(`The tag ${name} is a player tag. Set it on the player, not with a submission.`);
    }
    if (dimension.setBy === 'server' && isClient) {
      throw invalidView(`The tag ${name} can only be set by game servers.`);
    }
    if (dimension.values && !dimension.values.includes(value)) {
      throw invalidView(
        `The tag ${name} has no value ${value}. Valid values: ${dimension.values.join(', ')}`,
      );
    }
  }
  return Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)));
}
