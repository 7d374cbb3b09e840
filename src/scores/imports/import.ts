import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Row } from '../../db/row.js';
import { enumOf } from '../../graphql/enums.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';

export const ImportFormat = enumOf('ImportFormat', 'The format of a chunk.', {
  csv: 'Comma-separated values; the first line has the names of the columns.',
  ndjson: 'One JSON object per line.',
});
export type ImportFormat = (typeof ImportFormat)[keyof typeof ImportFormat];

const ImportStatus = enumOf('ImportStatus', 'Progress of an import.', {
  open: 'Accepts chunks. The board is not affected yet.',
  writing: 'Its rows are being written as events. The board still shows the previous ranking.',
  checking: 'The fair-play checks are running on its events, as requested.',
  ranking: 'The board is being re-ranked and shows the previous ranking until that is done.',
  finished: 'The board shows the imported scores.',
  cancelled: 'Cancelled. Nothing was imported.',
});
type ImportStatus = (typeof ImportStatus)[keyof typeof ImportStatus];

@ObjectType({
  implements: Node,
  description: 'An import of scores into a board.',
  simpleResolvers: true,
})
export class ScoreImport extends Row {
  static override tableName = 'score_imports';
  static override ids = {
    id: 'scoreImport',
    accountId: 'account',
    gameId: 'game',
    boardId: 'board',
    createdBy: 'user',
  } as const;

  @Field(() => ID, { description: 'The id, `imp_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of its board.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game of its board.' })
  gameId!: string;

  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => ImportStatus, { description: 'Its progress.' })
  status!: ImportStatus;

  @Field(() => Boolean, { description: 'True if the fair-play checks run on its events.' })
  checked!: boolean;

  @Field(() => Boolean, {
    description: 'True if it renames all its players, not only those whose name is still their key.',
  })
  rename!: boolean;

  @Field(() => ID, {
    name: 'createdById',
    simple: false,
    nullable: true,
    description: 'The user who started it.',
  })
  createdBy!: string | null;

  @Field(() => Int, { description: 'Number of chunks accepted.' })
  chunks!: number;

  @Field(() => Int, { description: 'Lines to import: accepted and not replaced.' })
  rows!: number;

  @Field(() => Int, { description: 'Lines that a later line of the same record has replaced.' })
  replaced!: number;

  @Field(() => Int, { description: 'Lines skipped because they do not count in the source.' })
  skipped!: number;

  @Field(() => Int, { description: 'Invalid lines that were skipped on request.' })
  refused!: number;

  @Field(() => Int, { description: 'Rows processed so far.' })
  processed!: number;

  @Field(() => Int, { description: 'Events written so far.' })
  written!: number;

  @Field(() => Int, { description: 'Rows that an earlier import already wrote.' })
  known!: number;

  @Field(() => Int, {
    description:
      'Written events in periods that a view no longer keeps. They count only in the other rankings.',
  })
  inDroppedPeriods!: number;

  @Field(() => Int, { description: 'Players created so far.' })
  players!: number;

  @Field(() => Int, { description: 'Flags raised by the checks.' })
  flags!: number;

  @Field(() => DateTime, { nullable: true, description: 'When the board showed all of it. Null: not yet.' })
  finishedAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was started.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it last changed.' })
  override updatedAt!: Date;

  // Columns of the worker (migrations/functions/6_imports.sql).
  afterAt!: Date | null;
  afterHint!: number | null;
  afterChunk!: number | null;
  afterLine!: number | null;
  firstSeq!: number | null;
  lastSeq!: number | null;
  afterPlayer!: string | null;
  closedAt!: Date | null;
  hasRows!: boolean;
  bySeq!: boolean;
}
