import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { idOf, uuidOf } from '../base/ids.js';
import type { Queryable } from '../db/pool.js';
import type { Context } from '../graphql/context.js';
import { enumOf } from '../graphql/enums.js';
import { Rule } from '../graphql/rules.js';
import { IsPlayer } from '../players/inputs.js';
import { IsVersion } from '../players/tickets/version.js';
import type { Score } from '../rankings/score.js';
import { windowAfter, windowBefore } from '../rankings/window.js';
import { asPlace, type ScoreReads } from './loaders.js';
import { amongPlayers } from './read/among/players.js';
import type { RecordingAddresses } from './recordings/address.js';
import { identityOf } from './schema/score-resolver.js';
import { Entry } from './standings/entry.js';
import { Ranking } from './standings/ranking.js';
import { pageOfRanking } from './standings/rankings.js';
import { administersPopulation, detailFor, isInside, shownIn } from './visibility.js';

const MOST_GHOSTS = 10;
/** Entries that a choice looks at. */
const LOOKED_AT = 50;

const GhostPick = enumOf(
  'GhostPick',
  'Whose ghosts a game wants. Entries without a recording are passed over.',
  {
    first: 'The best entry.',
    above: 'The nearest entry above the player; for one without an entry, the last of the ranking.',
    friends: "The player's friends and the player, best first.",
    player: 'The player.',
  },
);
type GhostPick = (typeof GhostPick)[keyof typeof GhostPick];

const MOST_PICKS = 4;

function ArePicks(): PropertyDecorator {
  return Rule(
    'items',
    `must be 1 to ${MOST_PICKS} choices`,
    (value) => Array.isArray(value) && value.length >= 1 && value.length <= MOST_PICKS,
    { minItems: 1, maxItems: MOST_PICKS },
  );
}

@ArgsType()
class GhostsArgs {
  @ArePicks()
  @Field(() => [GhostPick], { description: 'Whose ghosts, in this order; each run once.' })
  pick!: GhostPick[];

  @IsPlayer()
  @Field(() => ID, {
    nullable: true,
    description:
      "The player that `ABOVE`, `FRIENDS` and `PLAYER` are about; `me`, the default: the client's own.",
  })
  identityId?: string | null;

  @IsVersion()
  @Field(() => String, {
    nullable: true,
    description: 'Only recordings of this version of the game, as its tickets name it.',
  })
  gameVersion?: string | null;
}

@ObjectType({ description: 'The recording of a ghost.', simpleResolvers: true })
class GhostRecording {
  @Field(() => String, {
    description: 'Path and query of the file on this service, for ten minutes and for whoever has it.',
  })
  url!: string;

  @Field(() => Int, { description: 'Its size in bytes.' })
  bytes!: number;

  @Field(() => String, {
    nullable: true,
    description: "The game's version. Null: the run had no ticket that names it.",
  })
  gameVersion!: string | null;

  @Field(() => Int, { nullable: true, description: "The run's seed. Null: it had none." })
  seed!: number | null;
}

@ObjectType({ description: 'A run that a game can show beside the present one.', simpleResolvers: true })
class Ghost {
  @Field(() => Entry, { description: 'Its entry.' })
  entry!: Entry;

  @Field(() => GhostRecording, { description: 'Its recording.' })
  recording!: GhostRecording;
}

const RECORDED = {
  name: 'recordings_of_entries',
  text: `
    with served as materialized (select case when $2::int = 0 then (select b.generation from board_rankings b where b.board_id = $1::uuid)
      else (select r.generation from rankings r where r.board_id = $1::uuid and r.view_no = $2::int and r.period_number = $3::int
        and r.group_key = $4::text and r.status = 'live') end as generation)
    select u.n::int as n, v.id, k.bytes, x.seed, x.game_version
    from served g cross join unnest($6::uuid[]) with ordinality u(slot, n)
    cross join lateral (select e.event_seq from entries e
      where e.board_id = $1::uuid and e.generation = g.generation and e.is_test = $5::boolean and e.slot = u.slot limit 1) e
    join recordings k on k.board_id = $1::uuid and k.event_seq = e.event_seq and k.bytes is not null
    join score_events v on v.board_id = $1::uuid and v.seq = e.event_seq
    left join runs x on x.board_id = $1::uuid and x.event_seq = e.event_seq
    where $7::text is null or x.game_version = $7::text
    order by u.n`,
};

interface RecordedRow {
  /** Which of the entries, from 1 on. */
  n: number;
  id: string;
  bytes: number;
  seed: number | null;
  game_version: string | null;
}

interface Recorded {
  score: Score;
  row: RecordedRow;
}

/** What an entry is found by: where every run is ranked, its score is the run's own. */
export function slotOf({ record }: Ranking, { id, identityId }: Pick<Score, 'id' | 'identityId'>): string {
  return uuidOf(record.boardType === 'run_runs' ? id : identityId);
}

/** Recordings of the entries that have one, in the order of their slots. */
export async function recordedIn(
  pool: Queryable,
  { chosen, population }: Ranking,
  slots: readonly string[],
  gameVersion: string | null,
): Promise<RecordedRow[]> {
  const { boardId, viewNo, period, group } = chosen;
  const values = [uuidOf(boardId), viewNo, period, group, population, slots, gameVersion];
  return (await pool.query<RecordedRow>({ ...RECORDED, values })).rows;
}

/** Those of the entries that have a recording, in their order. */
async function recordedOf(
  pool: Queryable,
  ranking: Ranking,
  scores: readonly Score[],
  gameVersion: string | null,
): Promise<Recorded[]> {
  if (scores.length === 0) return [];
  const slots = scores.map((score) => slotOf(ranking, score));
  const rows = await recordedIn(pool, ranking, slots, gameVersion);
  return rows.map((row) => ({ score: scores[row.n - 1]!, row }));
}

/** True if the caller may see recordings of the board. */
export function mayRead(context: Context, { record, population }: Ranking): boolean {
  const readers = record.recordings?.readers;
  if (!readers) return false;
  if (administersPopulation(context, record, population)) return true;
  return readers === 'public' || (readers === 'players' && isInside(context, record, population));
}

@Resolver(() => Ranking)
export class GhostsResolver {
  constructor(
    private readonly reads: ScoreReads,
    private readonly addresses: RecordingAddresses,
  ) {}

  @FieldResolver(() => [Ghost], {
    complexity: 50,
    description:
      `Runs with their recordings, up to ${MOST_GHOSTS}, for games that show them: at most ${LOOKED_AT} entries are looked at ` +
      "for each choice. Empty for callers that the board's `recordings` do not name, and where every run has its own seed.",
  })
  async ghosts(
    @Root() ranking: Ranking,
    @Args(() => GhostsArgs) { pick, identityId, gameVersion }: GhostsArgs,
    @Ctx() context: Context,
  ): Promise<Ghost[]> {
    const isOther = ranking.record.tickets?.seed === 'run';
    if (isOther || !mayRead(context, ranking)) return [];
    const found = new Map<string, Recorded>();
    for (const one of new Set(pick)) {
      const scores = await this.#entries(context, ranking, one, identityId);
      const recorded = await recordedOf(this.reads.pool, ranking, scores, gameVersion ?? null);
      for (const ghost of one === 'friends' ? recorded : recorded.slice(0, 1)) found.set(ghost.row.id, ghost);
    }
    if (found.size === 0) return [];
    const now = context.clock();
    const total = await ranking.counted();
    return [...found.values()].slice(0, MOST_GHOSTS).map(({ score, row }) => ({
      entry: new Entry(score, ranking, total),
      recording: {
        url: this.addresses.pathOf(idOf('scoreEvent', row.id), now),
        ...{ bytes: row.bytes, gameVersion: row.game_version, seed: row.seed },
      },
    }));
  }

  /** Entries in the order in which they are looked at. @throws DomainError VALIDATION_FAILED: the player has to be named */
  async #entries(
    context: Context,
    ranking: Ranking,
    pick: GhostPick,
    named: string | null | undefined,
  ): Promise<readonly Score[]> {
    const { record: board, chosen, population: isTest } = ranking;
    const { windows, own } = this.reads;
    const detail = detailFor(context, board, isTest);
    if (pick === 'first')
      return (await windowAfter(windows, chosen, isTest, undefined, LOOKED_AT, detail)).scores;
    if (pick === 'friends') {
      const among = await amongPlayers(context, board, { friendsOf: named ?? 'me' });
      const request = { isTest, among, first: LOOKED_AT, aroundScoreId: null, aroundValue: null };
      return (await pageOfRanking(this.reads, context, board, chosen, request)).nodes;
    }
    const player = identityOf(context, named ?? 'me')!;
    const read = () => own.read({ ranking: chosen, isTest, identityId: player });
    const served = (await asPlace(this.reads, context, board, chosen, read))?.own;
    if (pick === 'player') return served ? [shownIn(detail, served.score)] : [];
    const above = await windowBefore(windows, chosen, isTest, served?.key, LOOKED_AT, detail);
    return above.scores.toReversed();
  }
}
