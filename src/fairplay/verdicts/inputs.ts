import { Field, ID, InputType } from 'type-graphql';
import { IsIdOf, IsName, MaxLength } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { RunVerdict } from '../../scores/verdicts/verdict.js';

const LONGEST_REASON = 500;
const LONGEST_NAME = 64;

@InputType({ description: 'The verdict of a verifier on a run that it played again.' })
export class GiveVerdictInput {
  @IsIdOf('scoreEvent')
  @Field(() => ID, { description: 'The score event. Its recording must be stored.' })
  scoreEventId!: string;

  @Field(() => RunVerdict, {
    description:
      'What it says. A run of another build or platform than its own is `UNKNOWN`, never `REJECTED`.',
  })
  verdict!: RunVerdict;

  @MaxLength(LONGEST_REASON)
  @Field(() => String, { nullable: true, description: `Why, up to ${LONGEST_REASON} characters.` })
  reason?: string | null;

  @IsName(1, LONGEST_NAME)
  @Field(() => String, {
    description: `The verifier's name, up to ${LONGEST_NAME} characters. Its first verdict on a run stays.`,
  })
  verifier!: string;

  @IsName(1, LONGEST_NAME)
  @Field(() => String, {
    nullable: true,
    description: `The verifier's version, up to ${LONGEST_NAME} characters.`,
  })
  verifierVersion?: string | null;

  @IsIdOf('verificationPass')
  @Field(() => ID, {
    nullable: true,
    description: 'The pass that sent the run again. Absent: it was sent when its recording was stored.',
  })
  passId?: string | null;
}

@InputType({ description: 'The verdicts of a verifier on the runs of a board.' })
export class UndoVerdictsInput {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => String, { description: "The verifier's name." })
  verifier!: string;

  @Field(() => DateTime, { nullable: true, description: 'Only those given from then on. Absent: all.' })
  since?: Date | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: only shows what would change.',
  })
  dryRun?: boolean;
}
