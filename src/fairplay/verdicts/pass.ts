import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Board } from '../../boards/board/board.js';
import { Row } from '../../db/row.js';
import { enumOf } from '../../graphql/enums.js';
import { references } from '../../graphql/node.js';
import { IsIdOf } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import type { PodiumRow } from '../../scores/standings/podium.js';

const PassStatus = enumOf('VerificationPassStatus', 'Progress of a pass.', {
  sending: 'Recordings are being sent to the verifier.',
  open: 'All are sent; verdicts arrive.',
  applying: 'The board is being updated.',
  applied: 'The board follows its verdicts.',
  undoing: 'The board is being restored.',
  undone: 'The board is restored.',
  cancelled: 'It ended without an effect.',
});
type PassStatus = (typeof PassStatus)[keyof typeof PassStatus];

@ObjectType({
  description:
    "A pass: a board's stored recordings are verified again. Its verdicts have no effect until it is applied.",
  simpleResolvers: true,
})
export class VerificationPass extends Row {
  static override tableName = 'verification_passes';
  static override ids = {
    id: 'verificationPass',
    accountId: 'account',
    gameId: 'game',
    boardId: 'board',
    requestedBy: 'user',
    appliedBy: 'user',
    undoneBy: 'user',
  } as const;

  @Field(() => ID, { description: 'The id, `vps_<uuid>`.' })
  override id!: string;

  accountId!: string;
  gameId!: string;

  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => DateTime, { nullable: true, description: 'Runs submitted from then on. Null: all.' })
  since!: Date | null;

  @Field(() => PassStatus, { description: 'Its progress.' })
  status!: PassStatus;

  @Field(() => Int, {
    name: 'recordingCount',
    simple: false,
    description: 'Recordings when it was requested.',
  })
  total!: number;

  @Field(() => Int, { description: 'Those that were sent so far.' })
  sent!: number;

  sentUpto!: number;
  upto!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Runs that no longer count, or count again. Null: it was not applied.',
  })
  runs!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Scores whose rank changed, left or returned. Null: it was not applied.',
  })
  moved!: number | null;

  podiumBefore!: PodiumRow[] | null;
  podiumAfter!: PodiumRow[] | null;

  @Field(() => String, { nullable: true, description: 'Why it could not be applied. Null if it could.' })
  failure!: string | null;

  requestedBy!: string;
  appliedBy!: string | null;
  undoneBy!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was applied. Null: it was not.' })
  appliedAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was requested.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}

references(VerificationPass, { board: Board });

@ObjectType({ description: 'How many runs of a pass have which verdict.', simpleResolvers: true })
export class PassVerdicts {
  @Field(() => Int, { description: '`VERIFIED`.' })
  verified!: number;

  @Field(() => Int, { description: '`REJECTED`.' })
  rejected!: number;

  @Field(() => Int, { description: '`UNKNOWN`.' })
  unknown!: number;
}

@InputType({ description: 'Recordings to verify again.' })
export class ReverifyRunsInput {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => DateTime, { nullable: true, description: 'Runs submitted from then on. Absent: all.' })
  since?: Date | null;
}

@InputType({ description: 'A pass to apply.' })
export class ApplyPassInput {
  @IsIdOf('verificationPass')
  @Field(() => ID, { description: 'The pass.' })
  id!: string;

  @Field(() => Boolean, { defaultValue: false, description: 'True: only shows what would change.' })
  dryRun?: boolean;
}
