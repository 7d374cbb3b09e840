import {
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  Float,
  ID,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { type Board, PublicField } from '../../boards/board/board.js';
import { PublicBoard } from '../../boards/public/public.js';
import { newestPublicBoards } from '../../boards/public/read.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { DateTime } from '../../graphql/scalars.js';
import { survivorOf } from '../../players/merges/read.js';
import { ownRanking } from '../../rankings/address.js';
import { asLook, type ScoreReads } from '../loaders.js';
import { readBestSplits, readHistory } from '../read/history.js';
import { requireRange } from '../schema/figures-resolver.js';
import { BEST_SPLITS, BestSplit } from '../schema/run-resolver.js';
import { identityOf } from '../schema/score-resolver.js';
import { valueTextOf } from '../value-text.js';
import { detailFor, isInside, seesSplits, shownIn } from '../visibility.js';
import { Entry } from './entry.js';
import { EntryArgs } from './ranking-args.js';
import type { Rankings } from './rankings.js';
import { placesOf } from './standings.js';

const MOST_RUNS = 100;
/** The newest published boards of the game that a player is looked for on. */
const BOARDS_LOOKED_AT = 50;

@ArgsType()
class PlayerHistoryArgs extends EntryArgs {
  @Field(() => Int, { defaultValue: 50, description: `Maximum number of runs, 1 to ${MOST_RUNS}.` })
  first!: number;
}

@ObjectType({ description: 'A run of a player that counts on the board.', simpleResolvers: true })
class PublicRun {
  @Field(() => Float, { description: 'Its value; on counter boards, the amount that it added.' })
  value!: number;

  @Field(() => String, {
    nullable: true,
    description: "Its text: the game's own, or by the board's format. Null: neither exists.",
  })
  valueDisplay!: string | null;

  @Field(() => DateTime, { description: 'When it was submitted, or for an imported run, when it occurred.' })
  submittedAt!: Date;
}

@ObjectType({ description: "A player's rank on a published board.", simpleResolvers: true })
class PublicPlace {
  @Field(() => PublicBoard, { description: 'The board.' })
  board!: PublicBoard;

  @Field(() => Entry, { description: "The player's entry in the board's own ranking." })
  entry!: Entry;
}

const IF_PUBLIC =
  'Null unless `publicFields` has `HISTORY`, or the caller administers the board or plays its game.';

/** What visitors read of one player of a published board. */
@Resolver(() => PublicBoard)
export class PublicPlayerResolver {
  constructor(
    private readonly reads: ScoreReads,
    private readonly rankings: Rankings,
  ) {}

  @FieldResolver(() => [Entry], {
    nullable: true,
    complexity: 8,
    description:
      "A player's entries in the current rankings of its views; of a view by tags, in the group of the " +
      "player's latest submission. Views that do not rank the player are left out.",
  })
  async entriesOf(
    @Root() { board }: PublicBoard,
    @Args(() => EntryArgs) args: EntryArgs,
    @Ctx() context: Context,
  ) {
    const player = { identityId: identityOf(context, args.identityId)!, isTest: false };
    const read = () => placesOf(context, this.reads, board, player, undefined);
    const entries = await this.#look(context, board, board.boardType === 'run_runs', read);
    const detail = detailFor(context, board, false);
    return entries.map(({ listed, place, total }) => new Entry(shownIn(detail, listed), place, total));
  }

  @FieldResolver(() => ID, {
    nullable: true,
    description: 'The player that the runs of a merged player count for. Null: the player is not merged.',
  })
  mergedPlayerId(
    @Root() { board }: PublicBoard,
    @Args(() => EntryArgs) args: EntryArgs,
    @Ctx() context: Context,
  ) {
    return survivorOf(context.db, board.gameId, identityOf(context, args.identityId)!);
  }

  @FieldResolver(() => [PublicRun], {
    nullable: true,
    complexity: 10,
    description: `A player's runs that count, newest first: never held or rejected ones. Empty for ratio boards. ${IF_PUBLIC}`,
  })
  async historyOf(
    @Root() { board }: PublicBoard,
    @Args(() => PlayerHistoryArgs) { identityId, first }: PlayerHistoryArgs,
    @Ctx() context: Context,
  ): Promise<PublicRun[] | null> {
    requireRange('first', first, MOST_RUNS);
    if (!seesHistory(context, board)) return null;
    const runs = await readHistory(this.reads.pool, board.id, identityOf(context, identityId)!, first);
    return runs.map(({ at, ...run }) => ({
      value: run.value,
      valueDisplay: valueTextOf(board, run),
      submittedAt: at,
    }));
  }

  @Once()
  @FieldResolver(() => [BestSplit], {
    nullable: true,
    complexity: 10,
    description: `${BEST_SPLITS} Null unless \`publicFields\` has \`SPLITS\`, or the caller administers the board or plays its game.`,
  })
  async bestSplits(
    @Root() { board }: PublicBoard,
    @Args(() => EntryArgs) { identityId }: EntryArgs,
    @Ctx() context: Context,
  ) {
    if (!seesSplits(context, board, false)) return null;
    const read = () => readBestSplits(this.reads.pool, board.id, identityOf(context, identityId)!, false);
    return asLook(this.reads, context, board.accountId, read);
  }

  @FieldResolver(() => [PublicPlace], {
    nullable: true,
    complexity: 60,
    description:
      `A player's ranks on other published boards of the game, of which the newest ` +
      `${BOARDS_LOOKED_AT} are searched. ${IF_PUBLIC}`,
  })
  async placesElsewhere(
    @Root() { board }: PublicBoard,
    @Args(() => EntryArgs) args: EntryArgs,
    @Ctx() context: Context,
  ): Promise<PublicPlace[] | null> {
    if (!seesHistory(context, board)) return null;
    const identityId = identityOf(context, args.identityId)!;
    const boards = await newestPublicBoards(context, board, BOARDS_LOOKED_AT);
    const read = () => Promise.all(boards.map((one) => this.#placeOn(context, one, identityId)));
    const isDear = boards.some(({ boardType }) => boardType === 'run_runs');
    return (await this.#look(context, board, isDear, read)).filter((place) => place !== undefined);
  }

  async #placeOn(context: Context, board: Board, identityId: string): Promise<PublicPlace | undefined> {
    const ranking = ownRanking(board.id);
    const served = await this.reads.own.read({ ranking, isTest: false, identityId });
    if (!served?.own) return undefined;
    const place = this.rankings.of(context, board, ranking, false);
    const score = shownIn(detailFor(context, board, false), served.own.score);
    return { board: PublicBoard.of(board), entry: new Entry(score, place, place.totalCount) };
  }

  /** Where every run is ranked, a player's are looked up by all of its events: for visitors, a few at a time. */
  #look<T>(context: Context, board: Board, isDear: boolean, read: () => Promise<T>): Promise<T> {
    const isLook = isDear && context.caller.kind === 'anonymous';
    return isLook ? this.reads.looks.anonymous.run(read, board.accountId) : read();
  }
}

function seesHistory(context: Context, board: Board): boolean {
  return isInside(context, board) || board.publicFields.includes(PublicField.HISTORY);
}
