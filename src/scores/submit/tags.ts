import { boardById } from '../../boards/board/read.js';
import { invalidView } from '../../boards/views/rules.js';
import type { Context } from '../../graphql/context.js';

export type Tags = Record<string, string>;

/**
 * Returns the tags of a submission if its board declares them; undefined without any. A board that does not exist is refused
 * later, with the submission.
 * @throws DomainError INVALID_VIEW
 */
export async function checkedTags(
  context: Context,
  boardId: string,
  tags: Tags | null | undefined,
): Promise<Tags | undefined> {
  const given = Object.entries(tags ?? {});
  if (given.length === 0) return undefined;
  const board = await context.loaders.of(boardById).load(boardId);
  if (!board) return undefined;
  for (const [name, value] of given) {
    const dimension = board.dimensions.find((one) => one.name === name);
    if (!dimension) {
      const known = board.dimensions.map((one) => one.name).join(', ') || 'none';
      throw invalidView(`The board has no tag ${name}. Its tags: ${known}`);
    }
    if (dimension.source === 'player') {
      throw invalidView(`The tag ${name} is a player tag. Set it with setPlayerTags, not with a submission.`);
    }
    if (dimension.setBy === 'server' && context.caller.kind === 'client') {
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
