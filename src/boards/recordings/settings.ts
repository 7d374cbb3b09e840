import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { enumOf } from '../../graphql/enums.js';
import { IsWithin, Rule } from '../../graphql/rules.js';

const MOST_KEPT = 1_000;
const MOST_DEMANDED = 100;
/** Of a file, where recordings are in a bucket. */
const MOST_BYTES = 16 * 1_024 * 1_024;
/** Of settings that do not say. */
const INITIAL = { keepTop: 100, keepBest: false, demandTop: 0, demandFlagged: false, maxBytes: 65_536 };

const RecordingReaders = enumOf('RecordingReaders', 'Who can read the recordings of a board.', {
  staff: 'Administrators only.',
  players: 'Players of the game, and administrators: as ghosts of entries that they see.',
  public: 'Everybody who sees the board.',
});
type RecordingReaders = (typeof RecordingReaders)[keyof typeof RecordingReaders];

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

@ObjectType({ description: 'Which recordings of runs a board takes and keeps.', simpleResolvers: true })
export class RecordingSettings {
  @Field(() => Int, { description: 'Runs ranked among so many first are recorded.' })
  keepTop!: number;

  @Field(() => Boolean, { description: "True: every player's ranked runs are recorded, at any rank." })
  keepBest!: boolean;

  @Field(() => Int, {
    description: 'Runs ranked among so many first are flagged until their recording is stored. 0: none.',
  })
  demandTop!: number;

  @Field(() => Boolean, { description: 'True: flagged runs are recorded, at any rank.' })
  demandFlagged!: boolean;

  @Field(() => Int, { description: 'Largest file in bytes.' })
  maxBytes!: number;

  @Field(() => RecordingReaders, { description: 'Who can read them.' })
  readers!: RecordingReaders;

  @Field(() => String, {
    nullable: true,
    description: `Page of the studio that shows a recording: \`${PLACE}\` stands for the address of the file. Null: none.`,
  })
  watchUrl!: string | null;
}

@InputType({ description: 'Which recordings of runs a board takes and keeps.' })
export class RecordingSettingsInput {
  @IsWithin(0, MOST_KEPT)
  @Field(() => Int, {
    defaultValue: INITIAL.keepTop,
    description: `Runs ranked among so many first are recorded, 0 to ${MOST_KEPT}. Default: ${INITIAL.keepTop}.`,
  })
  keepTop?: number;

  @Field(() => Boolean, {
    defaultValue: INITIAL.keepBest,
    description: "True: every player's ranked runs are recorded, at any rank. Default: false.",
  })
  keepBest?: boolean;

  @IsWithin(0, MOST_DEMANDED)
  @Field(() => Int, {
    defaultValue: INITIAL.demandTop,
    description:
      `Runs ranked among so many first, 0 to ${MOST_DEMANDED}, get a flag \`RECORDING\` until their recording is stored, which is ` +
      "taken even if the account's storage is full. Default: 0.",
  })
  demandTop?: number;

  @Field(() => Boolean, {
    defaultValue: INITIAL.demandFlagged,
    description: 'True: flagged runs are recorded, at any rank. Default: false.',
  })
  demandFlagged?: boolean;

  @IsWithin(1, MOST_BYTES)
  @Field(() => Int, {
    defaultValue: INITIAL.maxBytes,
    description:
      `Largest file in bytes, 1 to ${MOST_BYTES}; without a bucket (\`RECORDINGS_STORE\`), files of at most 262144 bytes ` +
      `are taken. Default: ${INITIAL.maxBytes}.`,
  })
  maxBytes?: number;

  @Field(() => RecordingReaders, {
    defaultValue: 'players',
    description: 'Who can read them. Default: `PLAYERS`.',
  })
  readers?: RecordingReaders;

  @Rule(
    'url',
    `must be an https URL with ${PLACE} after its host, of at most ${LONGEST_URL} characters`,
    isWatchUrl,
    {
      maxLength: LONGEST_URL,
    },
  )
  @Field(() => String, {
    nullable: true,
    description:
      `Page of the studio that shows a recording, https only: \`${PLACE}\` stands for the address of the file. Whoever may read the ` +
      'recording of a run has *Watch* beside it. Null: none.',
  })
  watchUrl?: string | null;
}

/** The settings as they are stored. */
export function checkedRecordings(given: RecordingSettingsInput): RecordingSettings {
  return {
    keepTop: given.keepTop ?? INITIAL.keepTop,
    keepBest: given.keepBest ?? INITIAL.keepBest,
    demandTop: given.demandTop ?? INITIAL.demandTop,
    demandFlagged: given.demandFlagged ?? INITIAL.demandFlagged,
    maxBytes: given.maxBytes ?? INITIAL.maxBytes,
    readers: given.readers ?? 'players',
    watchUrl: given.watchUrl ?? null,
  };
}

/** @throws DomainError VALIDATION_FAILED on ratio boards */
export function checkRecordingsFit(recordings: object | null, boardType: string): void {
  if (recordings && boardType === 'ratio')
    throw invalidField(['recordings'], 'is not allowed on ratio boards: set it on their source boards');
}
