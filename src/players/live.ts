import type { Knex } from 'knex';
import { idOf, uuidOf } from '../base/ids.js';
import type { Log } from '../base/log.js';
import type { Changes } from '../db/changes.js';
import { runStatement } from '../db/pool.js';
import type { ClientCaller } from '../graphql/context.js';
import { type FeedNews, type FeedReading, PolledFeeds } from '../graphql/live/polled-feeds.js';
import type { Watched } from '../graphql/live/watched.js';
import { actingDeviceIds, actingTopic } from './devices/acting.js';
import { ownPlayersOf } from './own-player.js';

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

interface LivePlayersParts {
  db: Knex;
  log: Log;
  changes: Changes;
}

/** Players whose sessions listen through this process for what changes about them: links, proofs, merges and their undos. */
export class LivePlayers {
  /** Feeds are of prefixed ids of players and remember their marks. */
  readonly #feeds: PolledFeeds<string, string | undefined>;

  constructor({ db, log, changes }: LivePlayersParts) {
    this.#feeds = new PolledFeeds({
      ...{ changes, log, atOnce: PLAYERS_AT_ONCE },
      failure: 'players could not be read for live updates; they will be later',
      topicsOf: (identityId) => [identityId, actingTopic(identityId)],
      read: (feeds) => playersNews(db, feeds),
    });
  }

  start(): void {
    this.#feeds.start();
  }

  /** A device sees itself as a record, so each has a feed of its own. */
  watch({ accountId, identityId, deviceId }: ClientCaller): Watched {
    return this.#feeds.watch(`player ${identityId} ${deviceId}`, accountId, identityId);
  }

  close(): Promise<void> {
    return this.#feeds.close();
  }
}

async function playersNews(
  db: Knex,
  feeds: readonly FeedReading<string, string | undefined>[],
): Promise<FeedNews<string | undefined>[]> {
  const marks = await marksOf(db, [...new Set(feeds.map(({ subject }) => uuidOf(subject)))]);
  const news = feeds.map(({ subject, memory, isAwaited }) => {
    const mark = marks.get(subject);
    return {
      subject,
      mark,
      changed: memory !== undefined && mark !== memory,
      isTold: isAwaited || mark !== memory,
    };
  });
  const told = new Set(news.filter(({ isTold }) => isTold).map(({ subject }) => subject));
  const players = await ownPlayersOf(db, [...told]);
  return news.map(({ subject, mark, changed, isTold }) => {
    const root = isTold && players.get(subject);
    return { memory: mark, told: root ? [{ item: '', root, changed }] : [] };
  });
}

/** Marks by the players' prefixed ids. */
async function marksOf(db: Knex, identityIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await runStatement<{ id: string; mark: string }>(db, MARKS, [identityIds]);
  return new Map(rows.map(({ id, mark }) => [idOf('identity', id), mark]));
}
