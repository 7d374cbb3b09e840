import 'reflect-metadata';
import type pg from 'pg';
import { uuid7 } from '../src/base/ids.js';
import { findingOf } from '../src/players/search.js';
import { numberOf } from './support/arguments.js';
import { inSession } from './support/bulk-session.js';
import { runBench } from './support/run.js';
import { median } from './support/statistics.js';
import { count, millis, say, sayTable } from './support/table.js';

/** Players of one statement. */
const PORTION = 50_000;
const MOST_FOUND = 50;

/** Words of names; a name has two and a number, so that words are shared by thousands of players. */
const WORDS =
  'Mira Solheim Tariq Öskar Night Owl Yuki Ada Pelican Nils Chidi Łukasz Ægir Zoë Иван Марія 速い 狐 ليلى דוד Dr Drift'.split(
    ' ',
  );

const PLAYERS = `
  insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
  select gen_random_uuid(), $1, $2, 'custom', 'player ' || i,
    ($5::text[])[1 + i % cardinality($5)] || ' ' || ($5::text[])[1 + (i / 7) % cardinality($5)] || ' ' || i, now(), now()
  from generate_series($3::int, $4::int) i`;

/** What the trigger of identities writes one by one. */
const ALL_WORDS = `
  insert into player_words (game_id, words, identity_id)
  select i.game_id, w, i.id from identities i cross join unnest(name_words(i.display_name)) w order by 1, 2, 3
  on conflict do nothing`;

runBench({
  title: 'Players found by the start of any word of their name, as Postgres takes for it.',
  duration: 'some minutes, nearly all of them to make the players',
  options: {
    players: { fallback: '1m', doc: 'players of the game that is searched, and as many of another one' },
    rounds: {
      fallback: '40',
      doc: 'searches for each text, in both games by turns',
    },
  },
  async run(scratch, args) {
    const made = await scratch.create();
    const players = numberOf(args.players);
    await inSession(made, async (client) => {
      const games = await makePlayers(client, players);
      const rows: string[][] = [];
      for (const text of [
        'm',
        'mira',
        'owl',
        'zoe',
        'drift 123',
        'иван',
        '狐',
        'ليلى',
        'mira solheim 9',
        'nobody',
      ]) {
        const times: number[] = [];
        let found = 0;
        for (let round = 0; round < Number(args.rounds); round += 1) {
          const { rows: plan } = await client.query<{
            'QUERY PLAN': [{ 'Execution Time': number; Plan: { 'Actual Rows': number } }];
          }>({
            text: `explain (analyze, format json) select * from find_players($1, $2, $3, ${MOST_FOUND})`,
            values: [games[round % 2], ...findingOf(text)],
          });
          const [{ 'Execution Time': took, Plan: top }] = plan[0]!['QUERY PLAN'];
          times.push(took);
          found = top['Actual Rows'];
        }
        rows.push([text, count(found), millis(median(times)), millis(Math.max(...times))]);
      }
      sayTable(['text', 'found', 'median', 'longest'], rows);
    });
  },
});

/** @returns the ids of two games, each with as many players */
async function makePlayers(client: pg.Client, players: number): Promise<string[]> {
  const started = performance.now();
  const account = uuid7();
  await client.query(
    `insert into accounts (id, name, slug, status, created_at, updated_at) values ($1, 'Bench', 'bench', 'active', now(), now())`,
    [account],
  );
  const games = [uuid7(), uuid7()];
  await client.query('alter table identities disable trigger name_player');
  for (const [k, game] of games.entries()) {
    await client.query(
      `insert into games (id, account_id, name, slug, anti_cheat_enabled, tags, created_at, updated_at)
       values ($1, $2, $3, $3, false, '{}', now(), now())`,
      [game, account, `bench-${k}`],
    );
    for (let from = 1; from <= players; from += PORTION)
      await client.query(PLAYERS, [account, game, from, Math.min(players, from + PORTION - 1), WORDS]);
  }
  await client.query('alter table identities enable trigger name_player');
  await client.query(ALL_WORDS);
  await client.query('vacuum analyze identities, player_words');
  await client.query('checkpoint');
  say(`Made 2 × ${count(players)} players in ${((performance.now() - started) / 1_000).toFixed(0)} s.`);
  return games;
}
