import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  Float,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { User } from '../../accounts/users/user.js';
import { IMPORTED } from '../../base/transfer/imported.js';
import { Board } from '../../boards/board/board.js';
import { Game } from '../../games/game.js';
import { changedById, changeOf, type PathId } from '../../graphql/changed-record.js';
import { SORT, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Nested } from '../../graphql/input-checks.js';
import { references } from '../../graphql/node.js';
import { recordInput, recordPayload } from '../../graphql/payloads.js';
import { listBelow } from '../../graphql/records/below.js';
import { listsOf } from '../../graphql/records/list.js';
import { Allow } from '../../graphql/rights.js';
import { HINTS, IdArg, IsIdOf, Rule } from '../../graphql/rules.js';
import { FailsAlone, Only } from '../../graphql/views.js';
import { addChunk, type ChunkOutcome, MOST_BYTES, MOST_LINES } from './chunks.js';
import { ImportFormat, ScoreImport } from './import.js';
import { MOST_COLUMNS } from './lines.js';
import { importProgress, listImports, loadImport, SORTABLE_IMPORTS } from './read.js';
import { cancelImport, createImport, finishImport } from './save.js';

const BOARD = 'The board. It can be closed.';

const importLists = listsOf(() => ScoreImport, 'ScoreImport', { sortable: SORTABLE_IMPORTS });

@ArgsType()
class ScoreImportsArgs extends SortedPageArgs {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  // REST's document gives no pattern here.
  @Extensions({ [`${HINTS}sort`]: { pattern: undefined } })
  @Field(() => String, SORT)
  override sort?: string | null;
}

const payload = (mutation: string) =>
  recordPayload(mutation, 'scoreImport', () => ScoreImport, 'The import.');
const CreateScoreImportPayload = payload('CreateScoreImport');
const FinishScoreImportPayload = payload('FinishScoreImport');
const CancelScoreImportPayload = payload('CancelScoreImport');
const FinishScoreImportInput = recordInput('FinishScoreImport', 'scoreImport', 'The import to finish.');
const CancelScoreImportInput = recordInput('CancelScoreImport', 'scoreImport', 'The import to cancel.');

@InputType({ description: 'A chunk of lines to add to an import.' })
class AddScoreImportChunkInput {
  @Rule('minimum', 'must be 0 or more', (value) => (value as number) >= 0, { minimum: 0 })
  @Field(() => Int, {
    description:
      'Number of the chunk, starting at 0. Sending the same chunk again changes nothing. Rows with the same time are ordered by it.',
  })
  number!: number;

  @Field(() => ImportFormat, { description: 'The format of `content`.' })
  format!: ImportFormat;

  @Field(() => String, {
    description:
      `Its lines: at most ${MOST_LINES.toLocaleString('en')}, and ` +
      `${MOST_BYTES.toLocaleString('en')} bytes. Columns or keys, in CSV at most ${MOST_COLUMNS}: ` +
      `${IMPORTED.join(', ')}; from exports also shown_name and present_name. A column \`line\` gives line numbers; a ` +
      `text in a column \`fault\` has the line refused for that reason.`,
  })
  content!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'True to skip invalid lines and list them in the response. Otherwise, they make the whole chunk fail.',
  })
  skipBad?: boolean | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True to check the lines without storing anything.',
  })
  dryRun?: boolean | null;
}

@ObjectType({ description: 'An invalid line of a chunk.', simpleResolvers: true })
class BadLine {
  @Field(() => Int, { description: 'Its line number.' })
  line!: number;

  @Field(() => String, { description: 'Why it is invalid.' })
  reason!: string;
}

@ObjectType({ description: 'A chunk that was read.', simpleResolvers: true })
class AddScoreImportChunkPayload {
  @Field(() => ScoreImport, { description: 'The import.' })
  scoreImport!: ScoreImport;

  @Field(() => Int, { description: 'Number of valid lines.' })
  accepted!: number;

  @Field(() => Int, { description: 'Lines skipped because they do not count in the source.' })
  skipped!: number;

  @Field(() => [BadLine], { description: 'Invalid lines.' })
  bad!: BadLine[];
}

const ChunkArgs = changedById('scoreImport', AddScoreImportChunkInput);

@InputType({ description: 'Settings of an import.' })
class ScoreImportSettings {
  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'True to run the fair-play checks on its events, using their own times. Without it, all events count.',
  })
  checked?: boolean | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'True to rename all its players to the name in their latest row. Otherwise, only new players and ' +
      'those whose name is still their key get a name.',
  })
  rename?: boolean | null;
}

@InputType({ description: 'A new import.' })
class CreateScoreImportInput extends ScoreImportSettings {
  @IsIdOf('board')
  @Field(() => ID, { description: BOARD })
  boardId!: string;
}

/** REST has the board in the path, and no body without settings. */
@ArgsType()
class CreateScoreImportArgs {
  @Only('graphql')
  @Nested()
  @Field(() => CreateScoreImportInput, { description: 'The board, and the settings of the import.' })
  input?: CreateScoreImportInput;

  @Only('rest')
  @IsIdOf('board')
  @Field(() => ID, { nullable: true, description: BOARD })
  boardId?: string;

  @Only('rest')
  @Field(() => ScoreImportSettings, { nullable: true, description: 'Its settings.' })
  settings?: ScoreImportSettings | null;
}

@Resolver(() => ScoreImport)
export class ScoreImportResolver {
  @FieldResolver(() => Int, {
    description: 'Lines in all chunks: the sum of `rows`, `replaced`, `skipped` and `refused`.',
  })
  lines(@Root() { rows, replaced, skipped, refused }: ScoreImport): number {
    return rows + replaced + skipped + refused;
  }

  @FailsAlone()
  @FieldResolver(() => Float, {
    description: 'Progress of writing and ranking its rows, 0 to 1: half for each.',
  })
  progress(@Root() scoreImport: ScoreImport, @Ctx() context: Context): Promise<number> | number {
    return importProgress(context, scoreImport);
  }

  @Allow('read')
  @Query(() => ScoreImport, { description: 'One import.' })
  scoreImport(@IdArg('scoreImport') id: string, @Ctx() context: Context) {
    return loadImport(context, id);
  }

  @Allow('read')
  @Only('rest')
  @Query(() => importLists.Connection, { description: 'Imports into a board, newest first.' })
  scoreImports(@Args(() => ScoreImportsArgs) args: ScoreImportsArgs, @Ctx() context: Context) {
    return listImports(context, args, args);
  }

  @Allow('configure')
  @Mutation(() => CreateScoreImportPayload, {
    description: 'Starts an import of scores into a board. Send its chunks, then finish or cancel it.',
  })
  async createScoreImport(
    @Args(() => CreateScoreImportArgs) { input, boardId, settings }: CreateScoreImportArgs,
    @Ctx() context: Context,
  ) {
    const { checked, rename } = input ?? settings ?? {};
    const given = { checked: checked ?? false, rename: rename ?? false };
    return { scoreImport: await createImport(context, input?.boardId ?? boardId!, given) };
  }

  @Allow('configure')
  @Mutation(() => AddScoreImportChunkPayload, {
    complexity: 500,
    description: 'Adds a chunk of lines to an open import.',
  })
  addScoreImportChunk(
    @Args(() => ChunkArgs) path: PathId,
    @Arg('input', () => AddScoreImportChunkInput, { description: 'The chunk.' })
    input: AddScoreImportChunkInput,
    @Ctx() context: Context,
  ): Promise<ChunkOutcome> {
    const { id, changes } = changeOf(path, input);
    return addChunk(context, id, changes);
  }

  @Allow('configure')
  @Mutation(() => FinishScoreImportPayload, {
    description:
      'Writes the rows and re-ranks the board in the background. Until that is done, the board shows the previous ranking.',
  })
  async finishScoreImport(
    @Arg('input', () => FinishScoreImportInput, { description: 'The import to finish.' }) {
      id,
    }: { id: string },
    @Ctx() context: Context,
  ) {
    return { scoreImport: await finishImport(context, id) };
  }

  @Allow('configure')
  @Mutation(() => CancelScoreImportPayload, { description: 'Cancels an open import and discards its rows.' })
  async cancelScoreImport(
    @Arg('input', () => CancelScoreImportInput, { description: 'The import to cancel.' }) {
      id,
    }: { id: string },
    @Ctx() context: Context,
  ) {
    return { scoreImport: await cancelImport(context, id) };
  }
}

export const importsBelowBoard = listBelow(Board, 'scoreImports', {
  lists: importLists,
  read: listImports,
  own: ({ id }) => ({ boardId: id }),
  description: 'Imports into it.',
  forAdministrators: true,
});

references(ScoreImport, { account: Account, game: Game, board: Board, createdBy: User });
