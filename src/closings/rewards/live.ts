import type { Knex } from 'knex';
import type { Clock } from '../../base/clock.js';
import { uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Database } from '../../db/pool.js';
import { runStatement } from '../../db/pool.js';
import { inLiveGame } from '../../games/read.js';
import { type FeedNews, type FeedReading, PolledFeeds } from '../../graphql/live/polled-feeds.js';
import type { Watched } from '../../graphql/live/watched.js';
import { rewardsOf } from '../granted.js';
import { liveRewards } from './read.js';
import type { Reward } from './reward.js';

const PLAYERS_AT_ONCE = 1_000;
/** Rewards that a subscription begins with: the newest open ones. */
const MOST_FIRST = 100;

const OPEN = `
  select p.nth::integer, array_agg(w.id order by w.created_at, w.id) as ids
  from unnest(?::uuid[], ?::boolean[]) with ordinality p(identity_id, is_test, nth)
  cross join lateral (select p.identity_id as id union all select m.id from identities m where m.merged_into = p.identity_id) o
  join rewards w on w.identity_id = o.id and w.is_test = p.is_test and w.status_order = 0 and (w.expires_at is null
    or w.expires_at > ?)
  where ${inLiveGame('w')} and exists (select from boards b where b.id = w.board_id and b.deleted_at is null)
  group by p.nth`;

/** The player of a session. Prefixed ids. */
interface WatchingPlayer {
  accountId: string;
  gameId: string;
  identityId: string;
  testMode: boolean;
}

/** Bare uuids of the rewards that were open when a player was read last. */
type OpenIds = ReadonlySet<string>;
type Reading = FeedReading<WatchingPlayer, OpenIds>;

interface LiveRewardsParts {
  database: Database;
  clock: Clock;
  log: Log;
  changes: Changes;
}

/**
 * Rewards of the players whose sessions listen through this process: those that are open, then each that is granted. What was open
 * when it was read last is all that it remembers, so nothing committed is missed, in whatever order transactions end.
 */
export class LiveRewards {
  readonly #feeds: PolledFeeds<WatchingPlayer, OpenIds>;

  constructor({ database, clock, log, changes }: LiveRewardsParts) {
    this.#feeds = new PolledFeeds({
      ...{ changes, log, atOnce: PLAYERS_AT_ONCE },
      failure: 'granted rewards could not be read for live updates; they will be later',
      topicsOf: ({ gameId }) => [rewardsOf(gameId)],
      read: (feeds) => rewardsNews(database.knex, feeds, new Date(clock())),
    });
  }

  start(): void {
    this.#feeds.start();
  }

  watch(player: WatchingPlayer): Watched {
    return this.#feeds.watch(`rewards ${player.identityId} ${player.testMode}`, player.accountId, player);
  }

  close(): Promise<void> {
    return this.#feeds.close();
  }
}

async function rewardsNews(db: Knex, feeds: readonly Reading[], at: Date): Promise<FeedNews<OpenIds>[]> {
  const openIds = await openOf(db, feeds, at);
  const news = feeds.map(({ memory, isAwaited }, i) => {
    const open = openIds.get(i) ?? [];
    const fresh = new Set(memory ? open.filter((id) => !memory.has(id)) : []);
    return { open, fresh, told: isAwaited ? new Set([...open.slice(-MOST_FIRST), ...fresh]) : fresh };
  });
  const rewards = await rewardsById(db, [...new Set(news.flatMap(({ told }) => [...told]))]);
  return news.map(({ open, fresh, told }) => ({
    memory: new Set(open),
    told: [...told].flatMap((id) => {
      const root = rewards.get(id);
      return root ? [{ item: root.id, root, changed: fresh.has(id) }] : [];
    }),
  }));
}

/** Bare uuids of open rewards, oldest first, by the feed's place. */
async function openOf(db: Knex, feeds: readonly Reading[], at: Date): Promise<Map<number, string[]>> {
  const identityIds = feeds.map(({ subject }) => uuidOf(subject.identityId));
  const values = [identityIds, feeds.map(({ subject }) => subject.testMode), at];
  const { rows } = await runStatement<{ nth: number; ids: string[] }>(db, OPEN, values);
  return new Map(rows.map(({ nth, ids }) => [nth - 1, ids]));
}

/** Rewards by their bare uuids. */
async function rewardsById(db: Knex, ids: readonly string[]): Promise<Map<string, Reward>> {
  if (ids.length === 0) return new Map();
  const rewards = await liveRewards(db).whereIn('rewards.id', [...ids]);
  return new Map(rewards.map((reward) => [uuidOf(reward.id), reward]));
}
