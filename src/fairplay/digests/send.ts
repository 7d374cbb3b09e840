import type { Knex } from 'knex';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import type { Job } from '../../jobs/job.js';
import type { Outbox } from '../../mail/outbox.js';
import { digestMail, MOST_COUNTED, type WaitingFlags } from './letter.js';

const KIND = 'flags';

/** Flags of running transactions become visible later; none runs this long. */
const SETTLED_MS = 60_000;
/** A mail that can't be sent for longer would tell about flags that are reviewed by then. */
const MAIL_LIFE_MS = 24 * 3_600_000;

/** The next full hour; the next 9:00 where the account is. */
const NEXT_DUE = `case u.flag_digest
  when 'hourly' then date_trunc('hour', n.at) + interval '1 hour'
  else (date_trunc('day', n.at at time zone coalesce(a.timezone, 'UTC') - interval '9 hours')
    + interval '1 day 9 hours') at time zone coalesce(a.timezone, 'UTC') end`;

interface Reader {
  id: string;
  account_id: string;
  email: string;
  display_name: string;
  account_name: string;
  digest: 'hourly' | 'daily';
  seen_at: Date | null;
  /** The only games it reaches; null: all. */
  game_ids: string[] | null;
  next_due: Date;
}

const reader = (served: string) => `
  select u.id, u.account_id, u.email, u.display_name, a.name as account_name, u.flag_digest as digest, u.game_ids,
    u.digest_seen_at as seen_at, ${NEXT_DUE} as next_due
  from (select cast(? as timestamptz) as at) n join users u on u.digest_due_at <= n.at join accounts a on a.id = u.account_id
  where u.status = 'active' and u.deleted_at is null
    and (u.email_verified_at is not null or u.super_admin) and a.status = 'active' and a.deleted_at is null ${served}
  order by u.digest_due_at, u.id limit 1 for update of u skip locked`;

/** When a flag is for people: a recording that a board demands may still come for a day, a verdict until `people_from`. */
const SEEN_AT =
  "case f.flag_type when 'recording' then f.created_at + interval '24 hours' else coalesce(f.people_from, f.created_at) end";

/** The newest ones first: among them are all that are new, but for those that waited for a recording beyond the counted ones. */
const WAITING = `
  select g.name as game, count(*)::int as waiting,
    (count(*) filter (where f.created_at > coalesce(cast(:seen as timestamptz), '-infinity')))::int as fresh
  from (
    select f.game_id, ${SEEN_AT} as created_at from score_flags f join boards b on b.id = f.board_id and b.deleted_at is null
    where f.account_id = :account and f.deleted_at is null and f.status = 'pending' and f.created_at <= :until and ${SEEN_AT} <= :until
      and (cast(:games as uuid[]) is null or f.game_id = any(cast(:games as uuid[])))
    order by f.created_at desc, f.id limit ${MOST_COUNTED}
  ) f join games g on g.id = f.game_id and g.deleted_at is null
  group by g.id order by g.name, g.id`;

const NOTE_DIGEST =
  'update users set digest_due_at = ?, digest_seen_at = coalesce(?, digest_seen_at) where id = ?';

/** @returns true if a mail was queued; undefined when nobody is due */
async function sendNext(
  trx: Knex.Transaction,
  outbox: Outbox,
  moderationUrl: string | undefined,
  now: Date,
): Promise<boolean | undefined> {
  const due = reader(servedHere(trx, 'account', 'u.account_id'));
  const { rows: found } = await runStatement<Reader>(trx, due, [now]);
  const person = found[0];
  if (!person) return undefined;
  const until = new Date(now.getTime() - SETTLED_MS);
  const counted = { seen: person.seen_at, account: person.account_id, until, games: person.game_ids };
  const { rows: games } = await runStatement<WaitingFlags>(trx, WAITING, counted);
  const news = games.some(({ fresh }) => fresh > 0);
  if (news) {
    // It tells all that one which is still waiting does.
    await outbox.drop(trx, [person.id], now, KIND);
    const { display_name: displayName, account_name: accountName, digest } = person;
    const content = digestMail({ displayName, accountName, digest, games, moderationUrl });
    const expiresAt = new Date(now.getTime() + MAIL_LIFE_MS);
    const mail = {
      ...content,
      kind: KIND,
      recipient: person.email,
      accountId: person.account_id,
      about: person.id,
      expiresAt,
    };
    await outbox.put(trx, mail, now);
  }
  await runStatement(trx, NOTE_DIGEST, [person.next_due, news ? until : null, person.id]);
  return news;
}

/** Emails those who chose so about new flags that wait. Each person is one transaction, which locks the user. */
export function flagDigestsJob(outbox: Outbox, moderationUrl: string | undefined): Job {
  return {
    name: 'send-flag-digests',
    description: 'Emails users about new flags to review, hourly or daily as they chose.',
    everyMinutes: 5,
    run: async ({ db, now, signal }) => {
      let done = 0;
      for (let sent: boolean | undefined = false; sent !== undefined && !signal.aborted; ) {
        sent = await db.transaction((trx) => sendNext(trx, outbox, moderationUrl, now));
        if (sent) done += 1;
      }
      return { done };
    },
  };
}
