import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { enumOf } from '../../graphql/enums.js';
import { IsWithin } from '../../graphql/rules.js';

const MOST_VERIFIED = 100;
const MOST_HOURS = 720;
/** Verdicts of a game with which `DECIDE` needs no confirmation. */
export const EXPERIENCE = 500;
/** Of settings that do not say. */
const INITIAL = { verifyTop: 10, hours: 24, confirmed: false };

const VerdictMode = enumOf('VerdictMode', 'What the verdicts of a verifier do.', {
  log: 'They are stored. Nothing follows from them.',
  hold: 'Runs of the first ranks wait for `VERIFIED`. `REJECTED` leaves them to a person.',
  decide: 'As `HOLD`, and `REJECTED` confirms cheating.',
});
type VerdictMode = (typeof VerdictMode)[keyof typeof VerdictMode];

@ObjectType({ description: "How a board takes verdicts of the studio's verifier.", simpleResolvers: true })
export class VerdictSettings {
  @Field(() => VerdictMode, { description: 'What the verdicts do.' })
  mode!: VerdictMode;

  @Field(() => Int, {
    description:
      'With `HOLD` and `DECIDE`, runs that would be ranked among so many first wait for a verdict. 0: none.',
  })
  verifyTop!: number;

  @Field(() => Int, { description: 'Hours after which the flag of a run without a verdict is for people.' })
  hours!: number;

  @Field(() => Boolean, {
    description: `True: \`DECIDE\` was confirmed for a game with fewer than ${EXPERIENCE} verdicts.`,
  })
  confirmed!: boolean;
}

@InputType({ description: "How a board takes verdicts of the studio's verifier." })
export class VerdictSettingsInput {
  @Field(() => VerdictMode, { description: 'What the verdicts do.' })
  mode!: VerdictMode;

  @IsWithin(0, MOST_VERIFIED)
  @Field(() => Int, {
    defaultValue: INITIAL.verifyTop,
    description:
      `With \`HOLD\` and \`DECIDE\`, runs that would be ranked among so many first, 0 to ${MOST_VERIFIED}, get a flag \`VERDICT\` ` +
      `and are not ranked until it is cleared. Default: ${INITIAL.verifyTop}.`,
  })
  verifyTop?: number;

  @IsWithin(1, MOST_HOURS)
  @Field(() => Int, {
    defaultValue: INITIAL.hours,
    description: `Hours after which the flag of a run without a verdict is for people, 1 to ${MOST_HOURS}. Default: ${INITIAL.hours}.`,
  })
  hours?: number;

  @Field(() => Boolean, {
    defaultValue: INITIAL.confirmed,
    description: `True: \`DECIDE\`, even if the game has fewer than ${EXPERIENCE} verdicts. Default: false.`,
  })
  confirmed?: boolean;
}

/** The settings as they are stored. */
export function checkedVerdicts(given: VerdictSettingsInput): VerdictSettings {
  return {
    mode: given.mode,
    verifyTop: given.verifyTop ?? INITIAL.verifyTop,
    hours: given.hours ?? INITIAL.hours,
    confirmed: given.confirmed ?? INITIAL.confirmed,
  };
}

/** @throws DomainError VALIDATION_FAILED on boards that take no recordings, ratio boards among them */
export function checkVerdictsFit(verdicts: object | null, recordings: object | null): void {
  if (verdicts && !recordings)
    throw invalidField(
      ['verdicts'],
      'is only allowed on boards with recordings, which a verifier plays again',
    );
}

/** Runs among so many first wait for a verdict; 0: none do. */
export function verifiedTop({
  verdicts,
  recordings,
}: {
  verdicts: VerdictSettings | null;
  recordings: object | null;
}): number {
  return verdicts && recordings && verdicts.mode !== 'log' ? verdicts.verifyTop : 0;
}
