import type { Knex } from 'knex';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { idOf } from '../../base/ids.js';
import type { Measure } from '../../base/value-format.js';
import { tried } from '../../db/tried.js';
import type { Context } from '../../graphql/context.js';
import { IsIdOf } from '../../graphql/rules.js';
import { rankOfEntry } from '../../rankings/read.js';
import { LiveEntry } from '../../scores/feeds/changes.js';
import { valueTextOf } from '../../scores/value-text.js';
import { type FlagRow, FlagStatus } from './flag.js';
import { applyReview } from './save.js';

@InputType({ description: 'A review to try on a flag.' })
export class PreviewScoreFlagReviewInput {
  @IsIdOf('scoreFlag')
  @Field(() => ID, { description: 'The flag.' })
  id!: string;

  @Field(() => FlagStatus, { description: 'The result of the review.' })
  status!: FlagStatus;
}

@ObjectType({ description: 'The effect of a flag review.', simpleResolvers: true })
export class FlagReviewPreview {
  @Field(() => LiveEntry, {
    nullable: true,
    description:
      'The current entry: of the run on boards that rank every run, otherwise of the player. Null if not ranked.',
  })
  before!: LiveEntry | null;

  @Field(() => LiveEntry, { nullable: true, description: 'The entry afterwards. Null if not ranked.' })
  after!: LiveEntry | null;

  @Field(() => Int, { description: 'Number of other scores whose rank would change.' })
  othersMoved!: number;
}

/** The entry that shows the flagged run, or its player's, and the ranked entries of its population. */
const FLAGGED_ENTRY = `
  select case when e.slot is not null then r.rank end as rank, d.rank as display, e.value, e.value_display, e.player_name,
    e.identity_id, c.n as count, m.format, m.unit
  from board_rankings b join boards m on m.id = b.board_id
  cross join lateral ranked_counts(b.board_id, b.generation, ?::boolean) c
  left join lateral (
    select x.* from entries x
    where x.board_id = b.board_id and x.generation = b.generation and x.is_test = ?::boolean and x.ranked
      and x.slot = case b.board_type when 'run_runs' then ?::uuid else ?::uuid end
    limit 1) e on true
  ${rankOfEntry()}
  where b.board_id = ?::uuid`;

interface FlaggedEntry extends Measure {
  rank: number | null;
  /** Null: the same. */
  display: number | null;
  value: number;
  value_display: string | null;
  player_name: string;
  identity_id: string;
  count: number;
}

async function flaggedEntryOf(trx: Knex.Transaction, flag: FlagRow): Promise<FlaggedEntry> {
  const { is_test, event_id, identity_id, board_id } = flag;
  const { rows } = await trx.raw<{ rows: FlaggedEntry[] }>(FLAGGED_ENTRY, [
    is_test,
    is_test,
    event_id,
    identity_id,
    board_id,
  ]);
  return rows[0]!;
}

function shownEntry({ rank, display, identity_id, ...row }: FlaggedEntry): LiveEntry | null {
  if (rank === null) return null;
  return Object.assign(new LiveEntry(), {
    rank,
    displayRank: display ?? rank,
    value: row.value,
    valueDisplay: valueTextOf(row, { value: row.value, valueDisplay: row.value_display }),
    playerName: row.player_name,
    identityId: idOf('identity', identity_id),
  });
}

/**
 * Applies the review and rolls it back, so the effect is exact. The board's submissions wait during that time, as for a real review.
 * @throws DomainError NOT_FOUND, FORBIDDEN, BAD_REQUEST as a review
 */
export async function previewFlagReview(
  context: Context,
  id: string,
  status: FlagStatus,
): Promise<FlagReviewPreview> {
  const now = new Date(context.clock());
  return tried(context.db, async (trx) => {
    let before: FlaggedEntry | undefined;
    const [row] = await applyReview(trx, context, [id], { status }, now, async (flag) => {
      before = await flaggedEntryOf(trx, flag);
    });
    const after = await flaggedEntryOf(trx, row!);
    return {
      before: shownEntry(before!),
      after: shownEntry(after),
      othersMoved: movedBy(before!, after),
    };
  });
}

/** Those between the two places; those behind the one where there is no other. */
function movedBy(before: FlaggedEntry, after: FlaggedEntry): number {
  if (before.rank !== null && after.rank !== null) return Math.abs(before.rank - after.rank);
  if (before.rank !== null) return before.count - before.rank;
  return after.rank === null ? 0 : after.count - after.rank;
}
