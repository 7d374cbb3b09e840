import { checkedGame } from '../support/checked-game.js';
import { DAY, SECOND } from '../support/clock.js';
import { makePlayer, play } from '../support/flags.js';
import type { Data } from '../support/http.js';

// What became of each run, as administrators read it: by the database at that moment, never by what was computed when it was submitted.

const { on, session, board, plays } = checkedGame();

const OUTCOMES = `query ($board: ID!, $player: ID!) {
  scoreEvents(filter: { boardId: $board, identityId: $player }, orderBy: [{ field: CREATED_AT }], first: 50) {
    nodes { value flags { id status } outcome { state displayRank wouldRank views { view displayRank tagValues } } }
  }
}`;
const REVIEW = `mutation ($ids: [ID!]!, $status: FlagStatus!) {
  reviewScoreFlags(input: { ids: $ids, status: $status }) { scoreFlags { heldRank status } }
}`;

async function runsOf(boardId: string, identityId: string): Promise<Data[]> {
  const { scoreEvents } = await on.studio.admin.data(OUTCOMES, { board: boardId, player: identityId });
  return scoreEvents.nodes;
}

/** Value, state, rank, and the rank it would have: `50 HELD – 1`; `weekly 2` for each view that shows it. */
async function states(boardId: string, player: { session: Data }): Promise<string[]> {
  const runs = await runsOf(boardId, player.session.identityId);
  return runs.map(({ value, outcome }) => {
    const { state, displayRank, wouldRank, views } = outcome;
    const shown = views.map((one: Data) => [one.view, ...one.tagValues, one.displayRank].join(' '));
    return [value, state, displayRank ?? '–', wouldRank ?? '–', ...shown].join(' ');
  });
}

async function review(boardId: string, player: { session: Data }, value: number, status: string) {
  const runs = await runsOf(boardId, player.session.identityId);
  const ids = runs.find((run) => run.value === value)!.flags.map(({ id }: Data) => id);
  return (await on.studio.admin.data(REVIEW, { ids, status })).reviewScoreFlags.scoreFlags;
}

const WEEKLY = { views: [{ name: 'weekly', period: 'WEEK' }] };

test('the best run is ranked, others count in views alone', async () => {
  const { id } = await board(WEEKLY);
  const player = await makePlayer(on.studio.admin, on.game.id, 'a');
  const other = await makePlayer(on.studio.admin, on.game.id, 'b');
  const submit = (who: string, value: number) => play(on.studio.admin, id, who, value);
  await submit(player, 50);
  await submit(other, 40);
  const seen = { session: { identityId: player } };
  expect(await states(id, seen)).toEqual(['50 RANKED 1 – weekly 1']);
  on.app.clock.advance(8 * DAY);
  await submit(player, 30);
  expect(await states(id, seen)).toEqual(['50 RANKED 1 – weekly 1', '30 NOT_SHOWN – – weekly 1']);
});

test('a held run would be where it is now, not where it was when it was submitted', async () => {
  const { id } = await board({ holdTop: 3 });
  const player = await session();
  await plays(player, id, 10);
  expect(await plays(player, id, 50, SECOND)).toBe('active velocity/high');
  expect(await states(id, player)).toEqual(['10 RANKED 1 –', '50 HELD – 1']);
  for (const value of [60, 70]) await plays(await session(), id, value);
  expect(await states(id, player)).toEqual(['10 RANKED 3 –', '50 HELD – 3']);
  const { scoreFlags } = await on.studio.admin.data(
    'query ($id: ID!) { scoreFlags(filter: { boardId: $id }) { nodes { heldRank } } }',
    { id },
  );
  expect(scoreFlags.nodes).toEqual([{ heldRank: 3 }]);
  await review(id, player, 50, 'FALSE_POSITIVE');
  expect(await states(id, player)).toEqual(['10 NOT_SHOWN – –', '50 RANKED 3 –']);
  await review(id, player, 50, 'CONFIRMED_CHEAT');
  expect(await states(id, player)).toEqual(['10 RANKED 3 –', '50 REMOVED – 3']);
  await review(id, player, 50, 'PENDING');
  expect(await states(id, player)).toEqual(['10 RANKED 3 –', '50 HELD – 3']);
});

test('counters and boards of all runs: amounts are part of the sum, each run has its own rank', async () => {
  const counter = await board({ boardType: 'COUNTER', keepStrategy: 'ALL' });
  const player = await session();
  await plays(player, counter.id, 5);
  await plays(player, counter.id, 6);
  await plays(await session(), counter.id, 100);
  expect(await states(counter.id, player)).toEqual(['5 RANKED 2 –', '6 RANKED 2 –']);
  const all = await board({ boardType: 'RUN_RUNS', keepStrategy: 'ALL', sortDirection: 'ASC' });
  await plays(player, all.id, 20);
  await plays(player, all.id, 15);
  expect(await states(all.id, player)).toEqual(['20 RANKED 2 –', '15 RANKED 1 –']);
});

test('players do not read it', async () => {
  const { id } = await board();
  const player = await session();
  await plays(player, id, 10);
  const { scoreEvents } = await on.studio.admin.data(
    'query ($id: ID!) { scoreEvents(filter: { boardId: $id }) { nodes { id outcome { state } } } }',
    { id },
  );
  expect(scoreEvents.nodes[0].outcome).toEqual({ state: 'RANKED' });
  const answer = await player.client.graphql(
    'query ($id: ID!) { node(id: $id) { ... on ScoreEvent { outcome { state } } } }',
    { id: scoreEvents.nodes[0].id },
  );
  expect(JSON.stringify(answer)).not.toContain('RANKED');
});
