import type { Knex } from 'knex';
import { PeriodicTask } from '../base/clock.js';
import { idOf, uuidOf } from '../base/ids.js';
import type { Log } from '../base/log.js';
import type { Changes } from '../db/changes.js';
import { runStatement } from '../db/pool.js';
import type { ClientCaller } from '../graphql/context.js';
import type { Listener, Watched } from '../graphql/live/watched.js';
import { actingDeviceIds, actingTopic } from './devices/acting.js';
import { type OwnPlayer, ownPlayersOf } from './own-player.js';

/** Changes within this time are read together. */
const BEAT_MS = 100;
/** How often all watched players are read: the longest delay of a change whose announcement is lost. */
const SWEEP_MS = 10_000;
const PLAYERS_AT_ONCE = 500;

/** What a player's state is compared by; moments at which a device was seen are no change. */
const MARKS = `
  select u.id, concat_ws('/',
    (select string_agg(concat(p.provider_id, p.subject), ',' order by p.provider_id, p.subject) from player_proofs p
      where p.identity_id in (select i.id from identities i where i.id = u.id or i.merged_into = u.id)), '',
    (select string_agg(concat(d.id, d.status, d.identity_id = u.id), ',' order by d.id) from devices d
      where d.deleted_at is null and d.id in (${actingDeviceIds('u.id')})), '',
    (select string_agg(i.id::text, ',' order by i.id) from identities i where i.merged_into = u.id)) as mark
  from unnest(?::uuid[]) u(id)`;

const topicsOf = (identityId: string) => [identityId, actingTopic(identityId)];

/** A player whose sessions on a device listen here. */
class ListeningPlayer {
  readonly listeners = new Set<Listener>();
  /** Undefined: it was not read yet. */
  mark: string | undefined;
  version = 0;
  /** A listener waits for its first state. */
  isAwaited = true;
  isDue = true;

  constructor(readonly identityId: string) {}
}

interface LivePlayersParts {
  db: Knex;
  log: Log;
  changes: Changes;
}

/** Players whose sessions listen through this process for what changes about them: links, proofs, merges and their undos. */
export class LivePlayers {
  readonly #players = new Map<string, ListeningPlayer>();
  /** Those that a topic concerns: a process hears of every player's changes. */
  readonly #byTopic = new Map<string, Set<ListeningPlayer>>();
  readonly #unlisten: () => void;
  readonly #task: PeriodicTask;

  constructor(private readonly parts: LivePlayersParts) {
    this.#unlisten = parts.changes.listen((topic) => this.#mark(topic));
    this.#task = new PeriodicTask((woken) => this.#run(woken), {
      everyMillis: SWEEP_MS,
      log: parts.log,
      failure: 'players could not be read for live updates; they will be later',
      level: 'debug',
    });
  }

  start(): void {
    this.#task.start();
  }

  /** A device sees itself as a record, so each has a feed of its own. */
  watch({ accountId, identityId, deviceId }: ClientCaller): Watched {
    const key = `player ${identityId} ${deviceId}`;
    return {
      ...{ key, accountId, rights: 'client' },
      follow: (listener) => {
        const player = this.#players.get(key) ?? this.#add(key, identityId);
        player.listeners.add(listener);
        return {
          again: () => {
            player.isAwaited = true;
            this.#task.wake();
          },
          end: () => {
            player.listeners.delete(listener);
            if (player.listeners.size === 0 && this.#players.get(key) === player) this.#remove(key, player);
          },
        };
      },
    };
  }

  #add(key: string, identityId: string): ListeningPlayer {
    const player = new ListeningPlayer(identityId);
    this.#players.set(key, player);
    for (const topic of topicsOf(identityId)) {
      const players = this.#byTopic.get(topic) ?? new Set();
      this.#byTopic.set(topic, players.add(player));
    }
    return player;
  }

  #remove(key: string, player: ListeningPlayer): void {
    this.#players.delete(key);
    for (const topic of topicsOf(player.identityId)) {
      const players = this.#byTopic.get(topic);
      players?.delete(player);
      if (players?.size === 0) this.#byTopic.delete(topic);
    }
  }

  #mark(topic: string): void {
    const players = this.#byTopic.get(topic);
    if (!players) return;
    for (const player of players) player.isDue = true;
    this.#task.wake(BEAT_MS);
  }

  async #run(woken: boolean): Promise<void> {
    const all = [...this.#players.values()];
    const players = woken ? all.filter(({ isAwaited, isDue }) => isAwaited || isDue) : all;
    for (let from = 0; from < players.length; from += PLAYERS_AT_ONCE) {
      await this.#read(players.slice(from, from + PLAYERS_AT_ONCE));
    }
  }

  async #read(players: readonly ListeningPlayer[]): Promise<void> {
    const awaited = new Set(players.filter(({ isAwaited }) => isAwaited));
    for (const player of players) Object.assign(player, { isAwaited: false, isDue: false });
    try {
      for (const { listeners } of awaited) for (const listener of listeners) listener.beginning();
      const marks = await this.#marks(players);
      const told = players.filter(
        (player) => awaited.has(player) || marks.get(player.identityId) !== player.mark,
      );
      const states = await ownPlayersOf(this.parts.db, [
        ...new Set(told.map(({ identityId }) => identityId)),
      ]);
      for (const player of told) {
        const mark = marks.get(player.identityId);
        const isChanged = player.mark !== undefined && mark !== player.mark;
        player.mark = mark;
        await tell(player, states.get(player.identityId), isChanged);
      }
    } catch (error) {
      for (const player of players) player.isDue = true;
      for (const player of awaited) player.isAwaited = true;
      throw error;
    }
  }

  async #marks(players: readonly ListeningPlayer[]): Promise<Map<string, string>> {
    const ids = [...new Set(players.map(({ identityId }) => uuidOf(identityId)))];
    const { rows } = await runStatement<{ id: string; mark: string }>(this.parts.db, MARKS, [ids]);
    return new Map(rows.map(({ id, mark }) => [idOf('identity', id), mark]));
  }

  async close(): Promise<void> {
    this.#unlisten();
    await this.#task.close();
  }
}

/** An error ends that listener alone. */
async function tell(player: ListeningPlayer, state: OwnPlayer | undefined, changed: boolean): Promise<void> {
  if (!state) return;
  player.version += 1;
  const states = [{ item: '', version: player.version, root: state, first: state, changed }];
  for (const listener of player.listeners) {
    try {
      await listener.notified(states);
      await listener.deliver();
    } catch (error) {
      listener.failed(error);
    }
  }
}
