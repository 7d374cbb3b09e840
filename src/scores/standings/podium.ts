import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { NOT_FOR_VISITORS, references } from '../../graphql/node.js';
import { Optional } from '../../graphql/views.js';
import { Identity } from '../../players/identities/identity.js';

/** Ranks of a podium in previews and reviews. */
export const PODIUM_RANKS = 3;

@ObjectType({ description: 'An entry on a podium.', simpleResolvers: true })
export class PodiumEntry {
  @Field(() => Int, { description: 'Unique position in the ranking, starting at 1.' })
  rank!: number;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Optional()
  @Field(() => ID, { description: "The player's score on the board. Null in previews and reviews." })
  scoreId!: string | null;

  @Field(() => String, { description: 'The name sent with the submission.' })
  playerName!: string;

  @Field(() => Float, { description: "The value, in the board's unit." })
  value!: number;

  @Field(() => String, { nullable: true, description: 'Formatted value, if the game sent one.' })
  valueDisplay!: string | null;

  @Field(() => Boolean, {
    description: 'True if a review has excluded the player since the ranking was dropped.',
  })
  isDisqualified!: boolean;
}

references(PodiumEntry, { identity: { type: Identity, note: NOT_FOR_VISITORS } });

@ObjectType({ description: 'A podium rank, before and after a change.', simpleResolvers: true })
export class PodiumChange {
  @Field(() => Int, { description: 'The rank, 1 to 3.' })
  rank!: number;

  @Field(() => PodiumEntry, { nullable: true, description: 'The entry with this rank before. Null: none.' })
  before!: PodiumEntry | null;

  @Field(() => PodiumEntry, {
    nullable: true,
    description: 'The entry with this rank afterwards. Null: none.',
  })
  after!: PodiumEntry | null;

  @Field(() => Boolean, { description: 'True if the player or the value changes.' })
  moves!: boolean;
}

/** An entry as SQL's `podium_of` has it. */
export interface PodiumRow {
  rank: number;
  identityId: string;
  playerName: string;
  value: number;
  valueDisplay: string | null;
}

function entryAt(rank: number, podium: readonly PodiumRow[] | null): PodiumEntry | null {
  const row = podium?.find((entry) => entry.rank === rank);
  return row ? { scoreId: null, ...row, isDisqualified: false } : null;
}

/** What a change does to a podium, rank by rank. */
export function podiumChanges(
  was: readonly PodiumRow[] | null,
  will: readonly PodiumRow[] | null,
): PodiumChange[] {
  return Array.from({ length: PODIUM_RANKS }, (_, index) => {
    const rank = index + 1;
    const before = entryAt(rank, was);
    const after = entryAt(rank, will);
    const moves = before?.identityId !== after?.identityId || before?.value !== after?.value;
    return { rank, before, after, moves };
  });
}
