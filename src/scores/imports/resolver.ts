import {
  Arg,
  Args,
  ArgsType,
  Ctx,
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
  registerEnumType,
} from 'type-graphql';
import { IMPORTED } from '../../base/imported.js';
import { Allow } from '../../graphql/access.js';
import { connectionOf, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { IdArg, IsIdOf, Rule } from '../../graphql/rules.js';
import { SafeInt } from '../../graphql/scalars.js';
import { addChunk, type ChunkOutcome, MOST_BYTES, MOST_LINES } from './chunks.js';
import { ScoreImport } from './import.js';
import { ImportFormat, MOST_COLUMNS } from './lines.js';
import { importProgress, listImports, loadImport } from './read.js';
import { cancelImport, createImport, finishImport } from './save.js';

registerEnumType(ImportFormat, {
  name: 'ImportFormat',
  description: 'The format of a chunk.',
  valuesConfig: {
    CSV: { description: 'Comma-separated values; the first line has the names of the columns.' },
    NDJSON: { description: 'A JSON object a line.' },
  },
});

const ScoreImportConnection = connectionOf(() => ScoreImport, 'ScoreImport');

@ArgsType()
class ScoreImportsArgs extends SortedPageArgs {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;
}

@ObjectType({ description: 'An import that was written.', simpleResolvers: true })
class ScoreImportPayload {
  @Field(() => ScoreImport, { description: 'The import.' })
  scoreImport!: ScoreImport;
}

@InputType({ description: 'A numbered part of an import.' })
class AddScoreImportChunkInput {
  @Rule('minimum', 'must be 0 or more', (value) => (value as number) >= 0, { minimum: 0 })
  @Field(() => Int, {
    description:
      'Its number, from 0. The same chunk sent again changes nothing. Rows of equal time are ordered by it.',
  })
  number!: number;

  @Field(() => ImportFormat, { description: 'Its format.' })
  format!: ImportFormat;

  @Field(() => String, {
    description: `At most ${MOST_LINES} lines and ${MOST_BYTES} bytes, in CSV at most ${MOST_COLUMNS} columns: ${IMPORTED.join(', ')}, and of exports shown_name and present_name. Line numbers may be given as the column line; a line with a text in the column fault is refused for that reason.`,
  })
  content!: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True to leave out bad lines, which the answer names; otherwise they refuse the chunk.',
  })
  skipBad?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'True to check the lines alone: nothing is stored.' })
  dryRun?: boolean | null;
}

@ObjectType({ description: 'A line that is no row.', simpleResolvers: true })
class BadLine {
  @Field(() => Int, { description: 'Its number.' })
  line!: number;

  @Field(() => String, { description: 'The reason.' })
  reason!: string;
}

@ObjectType({ description: 'A chunk that was read.', simpleResolvers: true })
class AddScoreImportChunkPayload {
  @Field(() => ScoreImport, { description: 'The import.' })
  scoreImport!: ScoreImport;

  @Field(() => Int, { description: 'Lines that are rows.' })
  accepted!: number;

  @Field(() => Int, { description: 'Lines that do not count in the export that they come from.' })
  skipped!: number;

  @Field(() => [BadLine], { description: 'Lines that are no rows.' })
  bad!: BadLine[];
}

@InputType({ description: 'Settings of an import.' })
class CreateScoreImportInput {
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True to run the checks of fair play on its events, as of the times that they have; without it, all count.',
  })
  checked?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'True to give all its players the names of its rows, the newest row last; without it, only players whose name is still their key, and new ones, get a name.',
  })
  rename?: boolean | null;
}

@Resolver(() => ScoreImport)
export class ScoreImportResolver {
  @FieldResolver(() => SafeInt, {
    description: 'Lines of all chunks: `rows`, `replaced`, `skipped` and `refused` together.',
  })
  lines(@Root() { rows, replaced, skipped, refused }: ScoreImport): number {
    return rows + replaced + skipped + refused;
  }

  @FieldResolver(() => Float, {
    description:
      'The share of the work after `finish` that is done, 0 to 1: a half is writing, a half is ranking.',
  })
  progress(@Root() scoreImport: ScoreImport, @Ctx() context: Context): Promise<number> | number {
    return importProgress(context, scoreImport);
  }

  @Allow('admin')
  @Query(() => ScoreImport, { description: 'One import.' })
  scoreImport(@IdArg('scoreImport') id: string, @Ctx() context: Context) {
    return loadImport(context, id);
  }

  @Allow('admin')
  @Query(() => ScoreImportConnection, { description: 'Imports into a board, newest first.' })
  scoreImports(@Args(() => ScoreImportsArgs) args: ScoreImportsArgs, @Ctx() context: Context) {
    return listImports(context, args, args.boardId);
  }

  @Allow('admin')
  @Mutation(() => ScoreImportPayload, {
    description: 'Begins an import of scores into a board. Send its chunks, then finish or cancel it.',
  })
  async createScoreImport(
    @IdArg('board', 'boardId', 'The board, a closed one too.') boardId: string,
    @Arg('input', () => CreateScoreImportInput, { nullable: true, description: 'Its settings.' })
    input: CreateScoreImportInput | undefined,
    @Ctx() context: Context,
  ) {
    const settings = { checked: input?.checked ?? false, rename: input?.rename ?? false };
    return { scoreImport: await createImport(context, boardId, settings) };
  }

  @Allow('admin')
  @Mutation(() => AddScoreImportChunkPayload, {
    complexity: 500,
    description: 'Adds a chunk of lines to an open import.',
  })
  addScoreImportChunk(
    @IdArg('scoreImport') id: string,
    @Arg('input', () => AddScoreImportChunkInput, { description: 'The chunk.' })
    input: AddScoreImportChunkInput,
    @Ctx() context: Context,
  ): Promise<ChunkOutcome> {
    return addChunk(context, id, input);
  }

  @Allow('admin')
  @Mutation(() => ScoreImportPayload, {
    description:
      'Has the rows written and the board ranked anew, in the background; until that is exact, the board shows the order of before.',
  })
  async finishScoreImport(@IdArg('scoreImport') id: string, @Ctx() context: Context) {
    return { scoreImport: await finishImport(context, id) };
  }

  @Allow('admin')
  @Mutation(() => ScoreImportPayload, { description: 'Drops an open import; nothing of it remains.' })
  async cancelScoreImport(@IdArg('scoreImport') id: string, @Ctx() context: Context) {
    return { scoreImport: await cancelImport(context, id) };
  }
}
