import { Field, Float, InputType, Int } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { Nested } from '../../graphql/input-checks.js';
import { IsName, IsWithin, Rule } from '../../graphql/rules.js';
import { JsonObject } from '../../graphql/scalars.js';
import { type PrizeLine, type PrizeTable, PrizeTies } from './prize-table.js';

const MOST_LINES = 32;
const MOST_RANKS = 1_000_000;
const MOST_DAYS = 3_650;
const MOST_RUNS = 1_000;
/** A year. */
const MOST_HOURS = 8_760;
const LARGEST_GRANT_BYTES = 4 * 1_024;
/** Defaults of a table. */
const INITIAL = { minimumEntries: 1, ties: PrizeTies.RANK, tieLimit: 100 };

const isHttps = (value: unknown) =>
  typeof value === 'string' &&
  value.length <= 2_000 &&
  URL.canParse(value) &&
  new URL(value).protocol === 'https:';

@InputType({
  description:
    'A line of a prize table. Of `firstRank`, `percent` and `reached` at most one; none: everyone with an entry.',
})
class PrizeLineInput {
  @IsName(1, 64)
  @Field(() => String, { description: 'Name of the line, unique in the table.' })
  name!: string;

  @IsWithin(1, MOST_RANKS)
  @Field(() => Int, { nullable: true, description: 'The first rank that is given it, at most 1000000.' })
  firstRank?: number | null;

  @IsWithin(1, MOST_RANKS)
  @Field(() => Int, {
    nullable: true,
    description: 'The last rank that is given it, at most 1000000. Default: `firstRank`.',
  })
  lastRank?: number | null;

  @IsWithin(0.001, 100)
  @Field(() => Float, {
    nullable: true,
    description: 'The best players in percent, 0.001 to 100, rounded up.',
  })
  percent?: number | null;

  @Field(() => Float, { nullable: true, description: 'Everyone who reached this value.' })
  reached?: number | null;

  @IsWithin(1, MOST_RUNS)
  @Field(() => Int, {
    nullable: true,
    description:
      'Only players with so many counted runs in the ranking’s time, at most 1000. The line ranks and counts these alone.',
  })
  minimumRuns?: number | null;

  @IsWithin(1, MOST_HOURS)
  @Field(() => Int, {
    nullable: true,
    description:
      'Only players who were first seen so many hours before the ranking ended, at most 8760. The line ranks and counts these alone.',
  })
  minimumAgeHours?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'True: only players who had proven who they are when the ranking ended. The line ranks and counts these alone.',
  })
  provenOnly?: boolean | null;

  @IsName(1, 100)
  @Field(() => String, { description: 'Title, for players.' })
  title!: string;

  @Rule('url', 'must be an https URL', isHttps, { format: 'uri', maxLength: 2_000 })
  @Field(() => String, { nullable: true, description: 'https address of a picture.' })
  pictureUrl?: string | null;

  @Rule(
    'length',
    `must not be larger than ${LARGEST_GRANT_BYTES} bytes as compact JSON`,
    (value) => Buffer.byteLength(JSON.stringify(value)) <= LARGEST_GRANT_BYTES,
  )
  @Field(() => JsonObject, {
    nullable: true,
    description: 'What is given, in the words of the game, at most 4 KiB. Absent: an empty object.',
  })
  grant?: Record<string, unknown> | null;
}

@InputType({ description: 'What the places of a closed ranking are given.' })
export class PrizeTableInput {
  @IsWithin(1, MOST_RANKS)
  @Field(() => Int, {
    defaultValue: INITIAL.minimumEntries,
    description: 'With fewer players nothing is given. Default: 1.',
  })
  minimumEntries?: number;

  @Field(() => PrizeTies as never, {
    defaultValue: INITIAL.ties,
    description: 'Who is given prizes among players of equal value. Default: RANK.',
  })
  ties?: PrizeTies;

  @IsWithin(0, MOST_RANKS)
  @Field(() => Int, {
    defaultValue: INITIAL.tieLimit,
    description:
      'With `ties` ALL: how many more players than ranks a line may be given to. Beyond it grants wait for a release. Default: 100.',
  })
  tieLimit?: number;

  @IsWithin(1, MOST_DAYS)
  @Field(() => Int, {
    nullable: true,
    description: 'Days after which an unclaimed reward expires, at most 3650. Null: never.',
  })
  expiresDays?: number | null;

  @Rule(
    'lines',
    `must be 1 to ${MOST_LINES} lines`,
    (value) => Array.isArray(value) && value.length >= 1 && value.length <= MOST_LINES,
    { minItems: 1, maxItems: MOST_LINES },
  )
  @Nested()
  @Field(() => [PrizeLineInput], { description: 'Its lines. A player is given each that applies.' })
  lines!: PrizeLineInput[];
}

/** A prize table as it is stored. @param at of the table in the input @throws DomainError VALIDATION_FAILED */
export function checkedPrizes(
  { minimumEntries, ties, tieLimit, expiresDays, lines }: PrizeTableInput,
  at: (string | number)[],
): PrizeTable {
  return {
    minimumEntries: minimumEntries ?? INITIAL.minimumEntries,
    ties: ties ?? INITIAL.ties,
    tieLimit: tieLimit ?? INITIAL.tieLimit,
    expiresDays: expiresDays ?? null,
    lines: lines.map((line, n) => checkedLine(line, n, lines, [...at, 'lines', n])),
  };
}

function checkedLine(
  line: PrizeLineInput,
  nth: number,
  lines: readonly PrizeLineInput[],
  at: (string | number)[],
): PrizeLine {
  const name = line.name.trim();
  if (lines.findIndex((other) => other.name.trim() === name) < nth) {
    throw invalidField([...at, 'name'], 'must be unique in the table');
  }
  const firstRank = line.firstRank ?? null;
  const lastRank = line.lastRank ?? firstRank;
  const [percent, reached] = [line.percent ?? null, line.reached ?? null];
  if ([firstRank, percent, reached].filter((way) => way !== null).length > 1) {
    throw invalidField([...at, 'firstRank'], 'must be the only one of ranks, percent and value reached');
  }
  if (lastRank !== null && (firstRank === null || lastRank < firstRank)) {
    throw invalidField([...at, 'lastRank'], 'must not be before the first rank');
  }
  // What a line does not ask for is not stored, and read as null: tables saved by earlier versions are the same then.
  const asked = {
    ...(line.minimumRuns != null && { minimumRuns: line.minimumRuns }),
    ...(line.provenOnly && { provenOnly: true }),
    ...(line.minimumAgeHours != null && { minimumAgeHours: line.minimumAgeHours }),
  };
  const shown = { title: line.title.trim(), pictureUrl: line.pictureUrl ?? null, grant: line.grant ?? {} };
  return { name, firstRank, lastRank, percent, reached, ...asked, ...shown } as PrizeLine;
}
