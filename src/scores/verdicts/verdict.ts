import { Field, ID, ObjectType } from 'type-graphql';
import { idOf, NIL_UUID } from '../../base/ids.js';
import { enumOf } from '../../graphql/enums.js';
import { DateTime } from '../../graphql/scalars.js';

export const RunVerdict = enumOf('RunVerdict', 'What a verifier says of a run that it played again.', {
  verified: 'Its recording gives its value.',
  rejected: 'Its recording gives another value.',
  unknown: 'It cannot tell: the run is of another build or platform, or its recording cannot be read.',
});
export type RunVerdict = (typeof RunVerdict)[keyof typeof RunVerdict];

@ObjectType({ description: 'The verdict of a verifier on a run.', simpleResolvers: true })
export class Verdict {
  @Field(() => ID, { description: 'The score event.' })
  scoreEventId!: string;

  @Field(() => RunVerdict, { description: 'What it says.' })
  verdict!: RunVerdict;

  @Field(() => String, { nullable: true, description: 'Why, as the verifier says. Null: it did not.' })
  reason!: string | null;

  @Field(() => String, { description: "The verifier's name." })
  verifier!: string;

  @Field(() => String, { nullable: true, description: "The verifier's version. Null: it did not say." })
  verifierVersion!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The pass in which it was given. Null: when the recording was stored.',
  })
  passId!: string | null;

  @Field(() => DateTime, { description: 'When it was given.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was taken back, with all verdicts of its verifier. Null: it was not.',
  })
  undoneAt!: Date | null;
}

/** A row of `verdicts` with the id of its event. Bare uuids. */
export interface VerdictRow {
  event_id: string;
  verdict: RunVerdict;
  reason: string | null;
  verifier: string;
  version: string | null;
  pass_id: string;
  created_at: Date;
  undone_at: Date | null;
}

export function verdictOf(row: VerdictRow): Verdict {
  return Object.assign(new Verdict(), {
    scoreEventId: idOf('scoreEvent', row.event_id),
    verdict: row.verdict,
    reason: row.reason,
    verifier: row.verifier,
    verifierVersion: row.version,
    passId: row.pass_id === NIL_UUID ? null : idOf('verificationPass', row.pass_id),
    createdAt: row.created_at,
    undoneAt: row.undone_at,
  });
}
