import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { idOf } from '../base/ids.js';
import { enumOf } from '../graphql/enums.js';
import { IsIdOf, NotNull } from '../graphql/rules.js';
import { DateTime } from '../graphql/scalars.js';

export const ErasedScores = enumOf(
  'ErasedScores',
  'What happens to the scores of a player whose personal data is erased.',
  {
    keep: 'They keep their ranks, under the name "deleted player".',
    remove: 'They are removed from all boards, including past ones.',
  },
);
export type ErasedScores = (typeof ErasedScores)[keyof typeof ErasedScores];

const ErasureStatus = enumOf('ErasureStatus', 'Progress of an erasure.', {
  none: 'It was not requested.',
  running: 'The player and their devices are erased; the history is being erased in the background.',
  done: 'No personal data is stored any longer.',
});
type ErasureStatus = (typeof ErasureStatus)[keyof typeof ErasureStatus];

@InputType({ description: 'The player to erase.' })
export class EraseIdentityInput {
  @IsIdOf('identity')
  @Field(() => ID, { description: 'The player, deleted or not.' })
  id!: string;

  @NotNull()
  @Field(() => ErasedScores, {
    defaultValue: 'keep',
    description:
      'What happens to the scores. Default: `KEEP`. Scores of a player that was already deleted stay hidden.',
  })
  scores?: ErasedScores;
}

@ObjectType({
  description: 'How many records of a player there are, and what an erasure does to them.',
  simpleResolvers: true,
})
export class StoredRecords {
  @Field(() => Int, { description: 'Devices: fingerprint, platform and metadata are overwritten.' })
  devices!: number;

  @Field(() => Int, { description: 'Sessions: they are deleted.' })
  sessions!: number;

  @Field(() => Int, {
    description:
      'Submissions: name, display text, metadata and location are overwritten; value, number and time stay.',
  })
  submissions!: number;

  @Field(() => Int, {
    description:
      "Entries in lists of friends, the player's own and others': they are deleted, as are the player's tags.",
  })
  friends!: number;

  @Field(() => Int, { description: "Flags: metadata and reviewers' notes are overwritten." })
  flags!: number;

  @Field(() => Int, { description: "Reviews of all of the player's runs: reasons are overwritten." })
  reviews!: number;

  @Field(() => Int, { description: 'Entries of the audit log about the player: reasons are overwritten.' })
  auditEntries!: number;
}

@ObjectType({ description: 'A board that a player has submitted to.', simpleResolvers: true })
export class ErasureBoard {
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => String, { description: 'Name of the board.' })
  name!: string;

  @Field(() => Boolean, { description: 'True if the submissions belong to the test population.' })
  isTest!: boolean;

  @Field(() => Int, { description: 'Number of submissions.' })
  submissions!: number;
}

@ObjectType({
  description: "The erasure of a player's personal data, requested or previewed.",
  simpleResolvers: true,
})
export class IdentityErasure {
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => ErasureStatus, { description: 'Its progress.' })
  status!: ErasureStatus;

  @Field(() => ErasedScores, {
    nullable: true,
    description: 'What happens to the scores. Null if it was not requested.',
  })
  scores!: ErasedScores | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was requested. Null: never.' })
  requestedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was finished. Null: not yet.' })
  finishedAt!: Date | null;

  @Field(() => Int, { description: 'Number of boards finished.' })
  boardsDone!: number;

  @Field(() => Int, { description: 'Number of boards to process. 0 until they are counted.' })
  boardsTotal!: number;

  @Field(() => Int, { description: 'Number of submissions overwritten so far.' })
  overwritten!: number;

  /** The game of the player. */
  gameId!: string;
}

@ObjectType({ description: 'The result of `eraseIdentity`.', simpleResolvers: true })
export class EraseIdentityPayload {
  @Field(() => IdentityErasure, { description: 'The erasure.' })
  erasure!: IdentityErasure;
}

/** A row of identity_erasures. Bare uuids. */
export interface ErasureRow {
  identity_id: string;
  account_id: string;
  game_id: string;
  scores: ErasedScores;
  status: 'running' | 'done';
  boards: string[] | null;
  boards_total: number;
  events: number;
  created_at: Date;
  finished_at: Date | null;
}

export function erasureOf(row: ErasureRow): IdentityErasure {
  return Object.assign(new IdentityErasure(), {
    identityId: idOf('identity', row.identity_id),
    status: row.status,
    scores: row.scores,
    requestedAt: row.created_at,
    finishedAt: row.finished_at,
    boardsDone: row.boards_total - (row.boards?.length ?? 0),
    boardsTotal: row.boards_total,
    overwritten: row.events,
    gameId: idOf('game', row.game_id),
  });
}

/** The state of a player of which no erasure was requested. Prefixed ids. */
export function noErasure(identityId: string, gameId: string): IdentityErasure {
  return Object.assign(new IdentityErasure(), {
    identityId,
    status: ErasureStatus.NONE,
    scores: null,
    requestedAt: null,
    finishedAt: null,
    boardsDone: 0,
    boardsTotal: 0,
    overwritten: 0,
    gameId,
  });
}
