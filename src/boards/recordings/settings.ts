import { invalidField } from '../../base/errors.js';
import { enumOf } from '../../graphql/enums.js';
import { kind } from '../../graphql/records/kinds.js';
import { maybe, PartType, partKind, preset, withFields } from '../../graphql/records/record.js';
import { Rule } from '../../graphql/rules.js';

const MOST_KEPT = 1_000;
const MOST_DEMANDED = 100;
/** Of a file, where recordings are in a bucket. */
const MOST_BYTES = 16 * 1_024 * 1_024;

const RecordingReaders = enumOf('RecordingReaders', 'Who can read the recordings of a board.', {
  staff: 'Administrators only.',
  players: 'Players of the game, and administrators: as ghosts of entries that they see.',
  public: 'Everybody who sees the board.',
});

const PLACE = '{recording}';
const LONGEST_URL = 500;

/** The host is the studio's own, whatever the recording's address is. */
function isWatchUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > LONGEST_URL || !value.includes(PLACE)) return false;
  const [one, other] = ['a', 'b'].map((letter) => value.replaceAll(PLACE, letter));
  if (!URL.canParse(one!)) return false;
  const { protocol, host, username, password } = new URL(one!);
  return protocol === 'https:' && username === '' && password === '' && host === new URL(other!).host;
}

/** The page that shows a recording. @param address the recording's own */
export function watchAddress(watchUrl: string, address: string): string {
  return watchUrl.replaceAll(PLACE, encodeURIComponent(address));
}

const watchUrl = {
  ...kind.text,
  rules: [
    Rule(
      'url',
      `must be an https URL with ${PLACE} after its host, of at most ${LONGEST_URL} characters`,
      isWatchUrl,
      {
        maxLength: LONGEST_URL,
      },
    ),
  ],
};

const fields = {
  keepTop: preset(kind.whole(0, MOST_KEPT), 100, 'Runs ranked among so many first are recorded.'),
  keepBest: preset(kind.flag, false, "True: every player's ranked runs are recorded, at any rank."),
  demandTop: preset(
    kind.whole(0, MOST_DEMANDED),
    0,
    'Runs ranked among so many first get a flag `RECORDING` until their recording is stored, which is ' +
      "taken even if the account's storage is full. 0: none.",
  ),
  demandFlagged: preset(kind.flag, false, 'True: flagged runs are recorded, at any rank.'),
  maxBytes: preset(kind.whole(1, MOST_BYTES), 65_536, 'Largest file in bytes.', {
    whenNew: 'Without a bucket (`RECORDINGS_STORE`), files of at most 262,144 bytes are taken.',
  }),
  readers: preset(kind.oneOf(RecordingReaders), 'players', 'Who can read them.'),
  watchUrl: maybe(
    watchUrl,
    `Page of the studio that shows a recording, https only: \`${PLACE}\` stands for the address of the file. Whoever may read the ` +
      'recording of a run has *Watch* beside it. Null: none.',
  ),
};

const ABOUT = 'Which recordings of runs a board takes and keeps.';

@PartType(fields, ABOUT)
export class RecordingSettings extends withFields(fields) {}

export const recordingSettings = partKind(RecordingSettings, ['RecordingSettingsInput', ABOUT], fields);

/** @throws DomainError VALIDATION_FAILED on ratio boards */
export function checkRecordingsFit(recordings: object | null, boardType: string): void {
  if (recordings && boardType === 'ratio')
    throw invalidField(['recordings'], 'is not allowed on ratio boards: set it on their source boards');
}
