import { type Clock, PeriodicTask } from '../../base/clock.js';
import { uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Database } from '../../db/pool.js';
import { runStatement } from '../../db/pool.js';
import { inLiveGame } from '../../games/read.js';
import type { Listener, LiveState, Watched } from '../../graphql/live/watched.js';
import { rewardsOf, TOPIC } from '../granted.js';
import { liveRewards } from './read.js';
import type { Reward } from './reward.js';

/** Grants within this time are read together. */
const BEAT_MS = 100;
/** How often all watched players are read: the longest delay of a grant whose announcement is lost. */
const SWEEP_MS = 10_000;
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

/** A player whose sessions listen here. */
class ListeningPlayer {
  readonly listeners = new Set<Listener>();
  /** Bare uuids of the rewards that were open when they were read last; undefined: they were not. */
  open: ReadonlySet<string> | undefined;
  version = 0;
  /** A listener waits for its first state. */
  isAwaited = true;
  isDue = true;

  constructor(
    readonly gameId: string,
    readonly identityId: string,
    readonly isTest: boolean,
  ) {}
}

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
  readonly #players = new Map<string, ListeningPlayer>();
  readonly #unlisten: () => void;
  readonly #task: PeriodicTask;

  constructor(private readonly parts: LiveRewardsParts) {
    this.#unlisten = parts.changes.listen((topic) => this.#mark(topic));
    this.#task = new PeriodicTask((woken) => this.#run(woken), {
      everyMillis: SWEEP_MS,
      log: parts.log,
      failure: 'granted rewards could not be read for live updates; they will be later',
      level: 'debug',
    });
  }

  start(): void {
    this.#task.start();
  }

  watch({ accountId, gameId, identityId, testMode }: WatchingPlayer): Watched {
    const key = `rewards ${identityId} ${testMode}`;
    return {
      ...{ key, accountId, rights: 'client' },
      follow: (listener) => {
        const player = this.#players.get(key) ?? new ListeningPlayer(gameId, identityId, testMode);
        this.#players.set(key, player);
        player.listeners.add(listener);
        return {
          again: () => {
            player.isAwaited = true;
            this.#task.wake();
          },
          end: () => {
            player.listeners.delete(listener);
            if (player.listeners.size === 0 && this.#players.get(key) === player) this.#players.delete(key);
          },
        };
      },
    };
  }

  #mark(topic: string): void {
    if (this.#players.size === 0 || !topic.startsWith(TOPIC)) return;
    let any = false;
    for (const player of this.#players.values()) {
      if (topic !== rewardsOf(player.gameId)) continue;
      player.isDue = true;
      any = true;
    }
    if (any) this.#task.wake(BEAT_MS);
  }

  async #run(woken: boolean): Promise<void> {
    const all = [...this.#players.values()];
    const players = woken ? all.filter(({ isAwaited, isDue }) => isAwaited || isDue) : all;
    for (let from = 0; from < players.length; from += PLAYERS_AT_ONCE) {
      await this.#read(players.slice(from, from + PLAYERS_AT_ONCE));
    }
  }

  async #read(players: readonly ListeningPlayer[]): Promise<void> {
    const awaited = players.filter(({ isAwaited }) => isAwaited);
    for (const player of players) Object.assign(player, { isAwaited: false, isDue: false });
    try {
      for (const { listeners } of awaited) for (const listener of listeners) listener.beginning();
      const open = await this.#open(players);
      const isAwaited = new Set(awaited);
      const news = players.map((player, i) => {
        const ids = open.get(i) ?? [];
        const fresh = player.open ? ids.filter((id) => !player.open!.has(id)) : [];
        return {
          player,
          ids,
          fresh,
          told: isAwaited.has(player) ? [...new Set([...ids.slice(-MOST_FIRST), ...fresh])] : fresh,
        };
      });
      const rewards = await this.#rewards(news.flatMap(({ told }) => told));
      for (const { player, ids, fresh, told } of news) {
        player.open = new Set(ids);
        const isNew = new Set(fresh);
        const states = told.flatMap((id) => stateOf(player, rewards.get(id), isNew.has(id)));
        for (const listener of player.listeners) await notify(listener, states);
      }
    } catch (error) {
      for (const player of players) player.isDue = true;
      for (const player of awaited) player.isAwaited = true;
      throw error;
    }
  }

  /** Bare uuids of their open rewards, oldest first, by the player's place. */
  async #open(players: readonly ListeningPlayer[]): Promise<Map<number, string[]>> {
    const ids = players.map(({ identityId }) => uuidOf(identityId));
    const values = [ids, players.map(({ isTest }) => isTest), new Date(this.parts.clock())];
    const { rows } = await runStatement<{ nth: number; ids: string[] }>(
      this.parts.database.knex,
      OPEN,
      values,
    );
    return new Map(rows.map(({ nth, ids: of }) => [nth - 1, of]));
  }

  async #rewards(ids: readonly string[]): Promise<Map<string, Reward>> {
    if (ids.length === 0) return new Map();
    const rows = await liveRewards(this.parts.database.knex).whereIn('rewards.id', [...ids]);
    return new Map(rows.map((reward) => [uuidOf(reward.id), reward]));
  }

  async close(): Promise<void> {
    this.#unlisten();
    await this.#task.close();
  }
}

function stateOf(player: ListeningPlayer, reward: Reward | undefined, changed: boolean): LiveState[] {
  if (!reward) return [];
  player.version += 1;
  return [{ item: reward.id, version: player.version, root: reward, first: reward, changed }];
}

/** An error ends that listener alone. */
async function notify(listener: Listener, states: readonly LiveState[]): Promise<void> {
  try {
    await listener.notified(states);
    await listener.deliver();
  } catch (error) {
    listener.failed(error);
  }
}
