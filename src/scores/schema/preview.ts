import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { uuidOf } from '../../base/ids.js';
import { KeepStrategy, SortDirection } from '../../boards/board/board.js';
import { loadBoard } from '../../boards/board/read.js';
import { changedRules } from '../../boards/board/rules.js';
import type { Context } from '../../graphql/context.js';
import { IsIdOf, NotNull } from '../../graphql/rules.js';
import { PODIUM_RANKS, PodiumChange, type PodiumRow, podiumChanges } from '../standings/podium.js';

@InputType({ description: 'Rules to try on a board. Absent fields stay unchanged.' })
export class PreviewBoardChangeInput {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  id!: string;

  @NotNull()
  @Field(() => SortDirection, { nullable: true, description: 'Whether high or low scores rank first.' })
  sortDirection?: SortDirection;

  @NotNull()
  @Field(() => KeepStrategy, { nullable: true, description: 'Which runs of each player are ranked.' })
  keepStrategy?: KeepStrategy;
}

@ObjectType({ description: 'The effect of other rules on a board.', simpleResolvers: true })
export class BoardChangePreview {
  @Field(() => Int, { description: 'Ranked production scores now.' })
  entriesNow!: number;

  @Field(() => Int, { description: 'Ranked production scores with those rules.' })
  entriesAfter!: number;

  @Field(() => Int, {
    description:
      'Number of those scores that would show another submission, or the same one at another rank.',
  })
  moved!: number;

  @Field(() => [PodiumChange], { description: 'Ranks 1 to 3, before and after.' })
  podium!: PodiumChange[];
}

interface PreviewRow {
  entries_now: number;
  entries_then: number;
  moved: number;
  podium_now: PodiumRow[] | null;
  podium_then: PodiumRow[] | null;
}

/**
 * Effect of a change of a board's rules, computed from all its events; writes nothing.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION as the update would; UNAVAILABLE at the statement timeout
 */
export async function previewBoardChange(
  context: Context,
  { id, ...input }: PreviewBoardChangeInput,
): Promise<BoardChangePreview> {
  const board = await loadBoard(context, id);
  const rules = changedRules(board, input);
  const { rows } = await context.db.raw<{ rows: PreviewRow[] }>(
    'select * from preview_rules(?, ?, ?, ?, ?)',
    [uuidOf(id), rules.boardType, rules.sortDirection, rules.keepStrategy, PODIUM_RANKS],
  );
  const row = rows[0]!;
  const podium = podiumChanges(row.podium_now, row.podium_then);
  return { entriesNow: row.entries_now, entriesAfter: row.entries_then, moved: row.moved, podium };
}
