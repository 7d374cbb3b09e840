import { invalidField } from '../../base/errors.js';
import { enumOf } from '../../graphql/enums.js';
import { kind } from '../../graphql/records/kinds.js';
import { PartType, partKind, preset, required, withFields } from '../../graphql/records/record.js';

const MOST_VERIFIED = 100;
const MOST_HOURS = 720;
/** Verdicts of a game with which `DECIDE` needs no confirmation. */
export const EXPERIENCE = 500;

const VerdictMode = enumOf('VerdictMode', 'What the verdicts of a verifier do.', {
  log: 'They are stored. Nothing follows from them.',
  hold: 'Runs of the first ranks wait for `VERIFIED`. `REJECTED` leaves them to a person.',
  decide: 'As `HOLD`, and `REJECTED` confirms cheating.',
});

const fields = {
  mode: required(kind.oneOf(VerdictMode), 'What the verdicts do.'),
  verifyTop: preset(
    kind.whole(0, MOST_VERIFIED),
    10,
    'With `HOLD` and `DECIDE`, runs that would be ranked among so many first get a flag `VERDICT` ' +
      'and are not ranked until it is cleared. 0: none.',
  ),
  hours: preset(
    kind.whole(1, MOST_HOURS),
    24,
    'Hours after which the flag of a run without a verdict is for people.',
  ),
  confirmed: preset(
    kind.flag,
    false,
    `True: \`DECIDE\`, even if the game has fewer than ${EXPERIENCE} verdicts.`,
  ),
};

const ABOUT = "How a board takes verdicts of the studio's verifier.";

@PartType(fields, ABOUT)
export class VerdictSettings extends withFields(fields) {}

export const verdictSettings = partKind(VerdictSettings, ['VerdictSettingsInput', ABOUT], fields);

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
