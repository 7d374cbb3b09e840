import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { DateTime, SafeInt } from '../../graphql/scalars.js';

const ImportStatus = {
  OPEN: 'open',
  WRITING: 'writing',
  CHECKING: 'checking',
  RANKING: 'ranking',
  FINISHED: 'finished',
  CANCELLED: 'cancelled',
} as const;
type ImportStatus = (typeof ImportStatus)[keyof typeof ImportStatus];

registerEnumType(ImportStatus, {
  name: 'ImportStatus',
  description: 'Progress of an import.',
  valuesConfig: {
    OPEN: { description: 'Takes chunks; the board knows nothing of them.' },
    WRITING: { description: 'Its rows become events; the board shows the order of before.' },
    CHECKING: { description: 'The checks of fair play run on its events, as it was requested.' },
    RANKING: { description: 'The board is ranked anew; it shows the order of before until that is exact.' },
    FINISHED: { description: 'The board shows the imported scores.' },
    CANCELLED: { description: 'Nothing of it remains.' },
  },
});

@ObjectType({
  implements: Node,
  description: 'Scores of before, as they are brought into a board.',
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

  @Field(() => Boolean, { description: 'True if the checks of fair play run on its events.' })
  checked!: boolean;

  @Field(() => Boolean, {
    description: 'True if it names all its players, not only those whose name is still their key.',
  })
  rename!: boolean;

  @Field(() => ID, { nullable: true, description: 'The user who began it.' })
  createdBy!: string | null;

  @Field(() => Int, { description: 'Chunks that were accepted.' })
  chunks!: number;

  @Field(() => SafeInt, { description: 'Lines that are imported: accepted and not replaced.' })
  rows!: number;

  @Field(() => SafeInt, { description: 'Lines that a later line of the same record has replaced.' })
  replaced!: number;

  @Field(() => SafeInt, { description: 'Lines left out, because they do not count where they come from.' })
  skipped!: number;

  @Field(() => SafeInt, { description: 'Bad lines left out, as `skip_bad` requested.' })
  refused!: number;

  @Field(() => SafeInt, { description: 'Rows that the service has worked through since it was finished.' })
  processed!: number;

  @Field(() => SafeInt, { description: 'Events that were written so far.' })
  written!: number;

  @Field(() => SafeInt, { description: 'Rows whose event an earlier import has written.' })
  known!: number;

  @Field(() => SafeInt, {
    description:
      'Events, of those written, that lie in a period that a view of the board has dropped: they count in its other rankings alone.',
  })
  inDroppedPeriods!: number;

  @Field(() => SafeInt, { description: 'Players that were created so far.' })
  players!: number;

  @Field(() => SafeInt, { description: 'Flags that the checks raised.' })
  flags!: number;

  @Field(() => DateTime, { nullable: true, description: 'When the board showed all of it.' })
  finishedAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was begun.' })
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
  toRank!: number | null;
  closedAt!: Date | null;
  hasRows!: boolean;
  bySeq!: boolean;
}
