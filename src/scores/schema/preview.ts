import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { uuidOf } from '../../base/ids.js';
import { KeepStrategy, SortDirection } from '../../boards/board/board.js';
import { loadBoard } from '../../boards/board/read.js';
import { changedRules } from '../../boards/board/rules.js';
import type { Context } from '../../graphql/context.js';
import { NotNull } from '../../graphql/rules.js';

const PODIUM_PLACES = 3;

@InputType({ description: 'Rules to try on a board. Absent fields stay unchanged.' })
export class PreviewBoardChangeInput {
  @NotNull()
  @Field(() => SortDirection, { nullable: true, description: 'Whether high or low scores rank first.' })
  sortDirection?: SortDirection;

  @NotNull()
  @Field(() => KeepStrategy, { nullable: true, description: 'Which runs of each player are ranked.' })
  keepStrategy?: KeepStrategy;
}

@ObjectType({ description: 'A player on the podium.', simpleResolvers: true })
class PodiumEntry {
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => String, { description: 'The name sent with the submission it shows.' })
  playerName!: string;

  @Field(() => Float, { description: 'The value.' })
  value!: number;

  @Field(() => String, { nullable: true, description: 'The formatted value.' })
  valueDisplay!: string | null;
}

@ObjectType({ description: 'A podium rank, now and with other rules.', simpleResolvers: true })
class PodiumChange {
  @Field(() => Int, { description: 'The rank, 1 to 3.' })
  rank!: number;

  @Field(() => PodiumEntry, { nullable: true, description: 'The player with this rank now. Null: none.' })
  now!: PodiumEntry | null;

  @Field(() => PodiumEntry, {
    nullable: true,
    description: 'The player who would have this rank. Null: none.',
  })
  after!: PodiumEntry | null;

  @Field(() => Boolean, { description: 'True if the player or the value would change.' })
  moves!: boolean;
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

  @Field(() => [PodiumChange], { description: 'The podium.' })
  podium!: PodiumChange[];
}

type PreviewPlace = PodiumEntry & { rank: number };

interface PreviewRow {
  entries_now: number;
  entries_then: number;
  moved: number;
  podium_now: PreviewPlace[] | null;
  podium_then: PreviewPlace[] | null;
}

/**
 * Effect of a change of a board's rules, computed from all its events; writes nothing.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION as the update would; UNAVAILABLE at the statement timeout
 */
export async function previewBoardChange(
  context: Context,
  id: string,
  input: PreviewBoardChangeInput,
): Promise<BoardChangePreview> {
  const board = await loadBoard(context, id);
  const rules = changedRules(board, input);
  const { rows } = await context.db.raw<{ rows: PreviewRow[] }>(
    'select * from preview_rules(?, ?, ?, ?, ?)',
    [uuidOf(id), rules.boardType, rules.sortDirection, rules.keepStrategy, PODIUM_PLACES],
  );
  const row = rows[0]!;
  const podium = Array.from({ length: PODIUM_PLACES }, (_, i) => {
    const rank = i + 1;
    const now = row.podium_now?.find((entry) => entry.rank === rank) ?? null;
    const after = row.podium_then?.find((entry) => entry.rank === rank) ?? null;
    const moves = now?.identityId !== after?.identityId || now?.value !== after?.value;
    return { rank, now, after, moves };
  });
  return { entriesNow: row.entries_now, entriesAfter: row.entries_then, moved: row.moved, podium };
}
