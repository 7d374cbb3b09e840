import { Arg, Args, Ctx, FieldResolver, Float, Int, Resolver, Root } from 'type-graphql';
import { Board, PublicField } from '../../boards/board/board.js';
import { PublicBoard } from '../../boards/public/public.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { NOT_FOR_VISITORS, NOT_OTHER_GAMES, references } from '../../graphql/node.js';
import { ListFor } from '../../graphql/rights.js';
import { DateTime } from '../../graphql/scalars.js';
import { Identity } from '../../players/identities/identity.js';
import { FindByNameArgs } from '../../players/search.js';
import { isOwn } from '../../rankings/address.js';
import { Score } from '../../rankings/score.js';
import { asLook, asPlace, type ScoreLoaders, type ScoreReads, splitsKey } from '../loaders.js';
import { amongPlayers } from '../read/among/players.js';
import { MOST_BINS, readDistribution } from '../read/distribution.js';
import { readBestSplits } from '../read/history.js';
import { findEntries } from '../read/players.js';
import { EntryConnection, EntryPage } from '../schema/connection.js';
import { Distribution } from '../schema/figures.js';
import { requireRange } from '../schema/figures-resolver.js';
import { BEST_SPLITS, BestSplit } from '../schema/run-resolver.js';
import { identityOf, namedIdentity } from '../schema/score-resolver.js';
import { scoreWithText } from '../value-text.js';
import {
  administersPopulation,
  askedPopulation,
  detailFor,
  isInside,
  maySee,
  scoreFor,
  seesSplits,
  shownIn,
} from '../visibility.js';
import { Entry } from './entry.js';
import { Ranking } from './ranking.js';
import {
  EntriesArgs,
  EntriesOfArgs,
  EntryArgs,
  PlayerArgs,
  PublicRankingArgs,
  RankingArgs,
} from './ranking-args.js';
import { notRanked, pageOfRanking, populationOf, type Rankings } from './rankings.js';
import { placeOf, placesOf } from './standings.js';

const RANKING =
  'One of its rankings: its own or, with `view`, one of a view. Fails with INVALID_VIEW if there is ' +
  'none, and with UNAVAILABLE while the view is being built.';

/** The player that a request names. @throws DomainError NOT_FOUND, FORBIDDEN for callers who may know whom there is */
async function playerOf(context: Context, board: Board, named: string): Promise<string> {
  const identityId = identityOf(context, named)!;
  if (named !== 'me' && isInside(context, board, true)) await namedIdentity(context, identityId);
  return identityId;
}

@Resolver(() => Board)
export class BoardRankingResolver {
  constructor(
    private readonly reads: ScoreReads,
    private readonly rankings: Rankings,
  ) {}

  @FieldResolver(() => Ranking, {
    nullable: true,
    description: `${RANKING} ${NOT_OTHER_GAMES}`,
  })
  ranking(@Root() board: Board, @Args(() => RankingArgs) args: RankingArgs, @Ctx() context: Context) {
    if (!isInside(context, board, true)) return null;
    return this.rankings.chosen(context, board, { ...args, isTest: askedPopulation(context, args.isTest) });
  }

  @FieldResolver(() => [Entry], {
    nullable: true,
    complexity: 8,
    description:
      `A player's entries in the current rankings of its views; of a view by tags, in the group of ` +
      `the player's latest submission. Views that do not rank the player are left out. ${NOT_OTHER_GAMES}`,
  })
  async entriesOf(
    @Root() board: Board,
    @Args(() => EntriesOfArgs) args: EntriesOfArgs,
    @Ctx() context: Context,
  ) {
    if (!isInside(context, board, true)) return null;
    const identityId = await playerOf(context, board, args.identityId);
    const isTest = populationOf(context, board, askedPopulation(context, args.isTest));
    const player = { identityId, isTest };
    return placesOf(context, this.reads, board, player, args.views);
  }

  @Once()
  @FieldResolver(() => [BestSplit], {
    nullable: true,
    complexity: 10,
    description: `${BEST_SPLITS} ${NOT_OTHER_GAMES}`,
  })
  async bestSplits(@Root() board: Board, @Args(() => PlayerArgs) args: PlayerArgs, @Ctx() context: Context) {
    if (!isInside(context, board, true)) return null;
    const identityId = await playerOf(context, board, args.identityId);
    const isTest = populationOf(context, board, askedPopulation(context, args.isTest));
    const read = () => readBestSplits(this.reads.pool, board.id, identityId, isTest);
    return asLook(this.reads, context, board.accountId, read);
  }
}

@Resolver(() => PublicBoard)
export class PublicBoardRankingResolver {
  constructor(private readonly rankings: Rankings) {}

  @FieldResolver(() => Boolean, {
    nullable: true,
    description:
      'True if it takes verdicts of a verifier: then `verifiedAt` of its entries may say something.',
  })
  hasVerdicts(@Root() { board }: PublicBoard) {
    return board.verdicts !== null;
  }

  @FieldResolver(() => Ranking, { description: RANKING })
  ranking(
    @Root() { board }: PublicBoard,
    @Args(() => PublicRankingArgs) args: PublicRankingArgs,
    @Ctx() context: Context,
  ) {
    return this.rankings.chosen(context, board, { ...args, isTest: false });
  }
}

@Resolver(() => Ranking)
export class RankingResolver {
  constructor(
    private readonly reads: ScoreReads,
    private readonly rankings: Rankings,
  ) {}

  @FieldResolver(() => Board, {
    nullable: true,
    description: 'The board. Null for callers who see published boards only.',
  })
  board(@Root() { record, population }: Ranking, @Ctx() context: Context) {
    return isInside(context, record, population) ? record : null;
  }

  @ListFor(['read', 'test'])
  @FieldResolver(() => EntryConnection, {
    description:
      'Its entries, rank 1 first; with `last` and `before`, those above a cursor. Use at most one of `around`, `startRank` and a cursor.',
  })
  async entries(@Root() now: Ranking, @Args(() => EntriesArgs) args: EntriesArgs, @Ctx() context: Context) {
    const ranking = await this.rankings.ofCursor(context, now, args);
    const { around, among, identityId, ...page } = args;
    const { record: board, chosen, population: isTest } = ranking;
    const request = {
      ...page,
      isTest,
      identityId: identityOf(context, identityId),
      among: among ? await amongPlayers(context, board, among) : undefined,
      aroundScoreId: around?.identityId
        ? await this.#scoreOf(context, ranking, around.identityId)
        : (around?.scoreId ?? null),
      aroundValue: around?.value ?? null,
    };
    return new EntryPage(await pageOfRanking(this.reads, context, board, chosen, request), ranking);
  }

  /** @throws DomainError INVALID_AROUND */
  async #scoreOf(context: Context, ranking: Ranking, named: string): Promise<string> {
    const place = await this.#placeOf(context, ranking, identityOf(context, named)!);
    if (!place) throw notRanked();
    return place.score.id;
  }

  #placeOf(context: Context, { record, chosen, population: isTest }: Ranking, identityId: string) {
    const read = () => placeOf(this.reads, { identityId, isTest }, chosen);
    return asPlace(this.reads, context, record, chosen, read);
  }

  @FieldResolver(() => Entry, {
    nullable: true,
    description: "A player's entry; where every run is ranked, the best one. Null if the player has none.",
  })
  async entry(@Root() ranking: Ranking, @Args(() => EntryArgs) args: EntryArgs, @Ctx() context: Context) {
    const { record, population } = ranking;
    const identityId = await playerOf(context, record, args.identityId);
    const place = await this.#placeOf(context, ranking, identityId);
    return (
      place && new Entry(shownIn(detailFor(context, record, population), place.score), ranking, place.total)
    );
  }

  @Once()
  @FieldResolver(() => [Entry], {
    complexity: 500,
    description:
      'Entries of players with a word of their current name that starts with `name`, best first. Where ' +
      "every run is ranked, the best of each player's latest runs. Only the first hundred such players of " +
      'the game, by name, are searched. Allowed once per operation and a few at a time; further ones wait ' +
      'up to a second.',
  })
  async findEntries(
    @Root() ranking: Ranking,
    @Args(() => FindByNameArgs) args: FindByNameArgs,
    @Ctx() context: Context,
  ) {
    const { record, chosen, population, totalCount } = ranking;
    const look = () => findEntries(this.reads.pool, record.gameId, chosen, population, args);
    const scores = await asLook(this.reads, context, record.accountId, look);
    const detail = detailFor(context, record, population);
    return scores.map((score) => new Entry(shownIn(detail, score), ranking, totalCount));
  }

  @FieldResolver(() => Distribution, {
    nullable: true,
    complexity: 10,
    description: 'The exact distribution of its values. Null for callers who do not administer it.',
  })
  distribution(
    @Root() { record, chosen, population }: Ranking,
    @Arg('bins', () => Int, { defaultValue: 25, description: `Maximum number of bins, 1 to ${MOST_BINS}.` })
    bins: number,
    @Ctx() context: Context,
  ) {
    if (!administersPopulation(context, record, population)) return null;
    requireRange('bins', bins, MOST_BINS);
    return readDistribution(this.reads.pool, chosen, population, bins);
  }
}

@Resolver(() => Entry)
export class EntryResolver {
  constructor(private readonly loaders: ScoreLoaders) {}

  @FieldResolver(() => Score, {
    nullable: true,
    description: "The player's score on the board. Null for callers who see published boards only.",
  })
  async score(@Root() { listed, place }: Entry, @Ctx() context: Context) {
    if (!isInside(context, place.record, place.population)) return null;
    if (isOwn(place.chosen)) return scoreWithText(place.record, listed);
    const score = await context.loaders.of(this.loaders.byId).load(listed.id);
    return score && maySee(context, score) ? scoreWithText(place.record, scoreFor(context, score)) : null;
  }

  // Not a plain property: a board's bounds change without its pages, whose bytes are cached.
  @FieldResolver(() => Ranking, { description: 'The ranking that it is in.' })
  ranking(@Root() { place }: Entry) {
    return place;
  }

  @FieldResolver(() => String, {
    nullable: true,
    complexity: 1,
    description:
      'Two-letter ISO country code of the submission. Null if unknown, and unless the board makes it public ' +
      'or the caller administers the board.',
  })
  async country(@Root() entry: Entry, @Ctx() context: Context) {
    return (await this.#origin(entry, context, PublicField.COUNTRY))?.country ?? null;
  }

  @FieldResolver(() => String, {
    nullable: true,
    complexity: 1,
    description:
      'Platform of the device, as the game named it. Null if unknown, and unless the board makes it public ' +
      'or the caller administers the board.',
  })
  async platform(@Root() entry: Entry, @Ctx() context: Context) {
    return (await this.#origin(entry, context, PublicField.PLATFORM))?.platform || null;
  }

  @FieldResolver(() => [Float], {
    nullable: true,
    complexity: 1,
    description:
      'Milliseconds from the start of its run to each of its points, as the game says. Null if the run has none, ' +
      'and for callers who see published boards only, unless `publicFields` has `SPLITS`.',
  })
  async splits(@Root() { scoreId, isPlaceholder, place }: Entry, @Ctx() context: Context) {
    const { record, chosen, population } = place;
    if (isPlaceholder || !seesSplits(context, record, population)) return null;
    return (await context.loaders.of(this.loaders.splits).load(splitsKey(chosen, scoreId))) ?? null;
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    complexity: 1,
    description:
      "When the studio's verifier played its run again and found that it gives the value. Null: it did not, or the board takes " +
      'no verdicts.',
  })
  async verifiedAt(@Root() { scoreId, isPlaceholder, place }: Entry, @Ctx() context: Context) {
    const { record, chosen } = place;
    if (isPlaceholder || !record.verdicts) return null;
    return (await context.loaders.of(this.loaders.verifiedAt).load(splitsKey(chosen, scoreId))) ?? null;
  }

  async #origin({ scoreId, place: { record, population } }: Entry, context: Context, field: PublicField) {
    const isShown = record.publicFields.includes(field) || administersPopulation(context, record, population);
    return isShown ? context.loaders.of(this.loaders.origins).load(scoreId) : undefined;
  }
}

references(Entry, { identity: { type: Identity, note: NOT_FOR_VISITORS } });
