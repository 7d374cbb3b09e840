// A quota: each player may submit 100 scores a day (UTC), over all processes and boards.
// HOOKS_MODULE=./examples/quota.mjs npm start

/** @typedef {import('leaderboard-service/hooks').Hooks} Hooks */

const SCORES_A_DAY = 100;
const DAY_SECONDS = 86_400;

// Processes that start together take turns: "if not exists" alone does not see what another one is about to make.
const TABLES = `
  select pg_advisory_xact_lock(5391);
  create schema if not exists quota;
  create table if not exists quota.days (player text, day date, used integer not null, primary key (player, day))`;

// One statement, one row: however many processes run it at the same time, the hundred and first finds no row to change.
const TAKE = `
  insert into quota.days as d (player, day, used) values ($1, $2, 1)
  on conflict (player, day) do update set used = d.used + 1 where d.used < $3
  returning used`;
const GIVE_BACK = 'update quota.days set used = used - 1 where player = $1 and day = $2';
const FORGET = 'delete from quota.days where day < $1';

/** @param {Date} now @param {number} days */
const dayOf = (now, days = 0) =>
  new Date(now.getTime() + days * DAY_SECONDS * 1_000).toISOString().slice(0, 10);

/** @type {Hooks['setUp']} */
export const setUp = async ({ query, schedule }) => {
  await query(TABLES);
  await schedule('forgetDays', {}, { key: 'daily' });
};

/** @type {Hooks['preCreateScore']} */
export const preCreateScore = async ({ identityId, isTest }, _caller, { query, now, refuse }) => {
  if (isTest) return;
  const today = dayOf(now());
  const taken = await query(TAKE, [identityId, today, SCORES_A_DAY]);
  if (taken.length === 0) {
    const seconds = DAY_SECONDS - (Math.floor(now().getTime() / 1_000) % DAY_SECONDS);
    refuse(
      'RATE_LIMITED',
      `You have used all ${SCORES_A_DAY} scores of today. The count starts again at midnight UTC.`,
      {
        retryAfterSeconds: seconds,
      },
    );
  }
  // Called if the submission is not stored after all.
  return () => query(GIVE_BACK, [identityId, today]);
};

/** @type {Hooks['jobs']} */
export const jobs = {
  async forgetDays(_payload, { query, schedule, now }) {
    await query(FORGET, [dayOf(now(), -7)]);
    await schedule('forgetDays', {}, { delaySeconds: DAY_SECONDS, key: 'daily' });
  },
};
