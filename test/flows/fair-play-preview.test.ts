import { checkedGame } from '../support/checked-game.js';
import { flag, makePlayer, play, review } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { antiCheat, makeBoard, makeGame, makeStudio } from '../support/make.js';

const { on, flags, events } = checkedGame();

const QUERY = `query ($input: PreviewFairPlayInput!) { previewFairPlay(input: $input) {
  submissions since confirmedCheats falsePositives
  now { flagged rejected players confirmedCheats falsePositives checks { flagType count } }
  after { flagged rejected players confirmedCheats falsePositives checks { flagType count } }
  found { scoreEventId flagType rejects explanation scoreEvent { identity { displayName } } }
  lost { scoreEventId flagType } } }`;
const inputOf = (gameId: string, settings: Data | null = null) => ({
  input: { gameId, settings: settings && antiCheat(settings) },
});
const preview = async (game: string, settings: Data | null): Promise<Data> =>
  (await on.studio.admin.data(QUERY, inputOf(game, settings))).previewFairPlay;

const OFF = { a: 'off', b: 'off', c: 'off' };
const NOTHING = {
  rate_limit: OFF,
  velocity_seconds: OFF,
  duplicate_seconds: OFF,
  progression_percent: OFF,
  outlier_z: OFF,
};
/** Outliers apart: a preview compares with the board as it is, a submission with the board as it was. */
const STRICT = {
  rate_limit: { b: 8 },
  velocity_seconds: { b: 3 },
  duplicate_seconds: { b: 120 },
  progression_percent: { b: 40 },
  progression_min_values: 3,
  outlier_z: OFF,
};

interface Step {
  player: number;
  board: number;
  value: number;
  /** Milliseconds since the one before. */
  later: number;
}

/** The same play each time: some players hurry, repeat values, and leap. */
function story(length: number): Step[] {
  let state = 7;
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  return Array.from({ length }, () => ({
    player: next(4),
    board: next(2),
    value: [10, 12, 14, 20, 33, 60][next(6)]!,
    later: [400, 2_000, 30_000, 200_000][next(4)]!,
  }));
}

/** Plays a story in a game of its own. @returns refused submissions, flagged ones, and their flags by check */
async function playStory(settings: Data, steps: readonly Step[]) {
  const game = await makeGame(on.studio, { antiCheatSettings: antiCheat(settings) });
  const boards = [
    await makeBoard(on.studio, game.id, { keepStrategy: 'BEST' }),
    await makeBoard(on.studio, game.id, { boardType: 'COUNTER' }),
  ];
  const players: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) players.push(await makePlayer(on.studio.admin, game.id, name));
  let rejected = 0;
  for (const { player, board, value, later } of steps) {
    on.app.clock.advance(later);
    const { status, body } = await on.studio.admin.post('/v1/score-events', {
      board_id: boards[board]!.id,
      identity_id: players[player],
      value,
      player_name: 'P',
    });
    if (body.code === 'SCORE_REJECTED') rejected += 1;
    else expect([status, body.code]).toEqual([201, undefined]);
  }
  let flagged = 0;
  const checks = new Map<string, number>();
  for (const { id } of boards) {
    const kept = (await events(id)).filter(({ disposition }) => disposition === 'flagged');
    flagged += kept.length;
    for (const { flag_type: type, event_seq: seq } of await flags(id)) {
      if (kept.some((event) => event.seq === seq)) checks.set(type, (checks.get(type) ?? 0) + 1);
    }
  }
  return { game, rejected, flagged, checks: Object.fromEntries(checks) };
}

const byCheck = ({ checks }: Data) =>
  Object.fromEntries(checks.map(({ flagType, count }: Data) => [flagType.toLowerCase(), count]));

test('a preview foresees what the checks of new submissions say, rejections included', async () => {
  const steps = story(90);
  const calm = await playStory(NOTHING, steps);
  const checked = await playStory(STRICT, steps);
  expect(checked.rejected).toBeGreaterThan(0);
  expect(Object.keys(checked.checks).sort()).toEqual(['duplicate', 'progression', 'velocity']);

  const foreseen = await preview(calm.game.id, STRICT);
  expect(foreseen.submissions).toBe(90);
  expect(foreseen.now).toMatchObject({ flagged: 0, rejected: 0, players: 0, checks: [] });
  const { rejected, flagged } = checked;
  expect(foreseen.after).toMatchObject({ rejected, flagged });
  // Of those that were accepted with the same settings nothing is different.
  const same = await preview(checked.game.id, STRICT);
  expect(same.submissions).toBe(90 - rejected);
  expect(byCheck(same.now)).toEqual(checked.checks);
  expect(same.after).toEqual(same.now);
  expect([same.found, same.lost]).toEqual([[], []]);
  const without = await preview(checked.game.id, NOTHING);
  expect([without.after.flagged, without.found, without.lost.length]).toEqual([0, [], 10]);
});

test('it counts decided runs, names those that differ, changes nothing, and works while the checks are off', async () => {
  const game = await makeGame(on.studio, { antiCheatEnabled: false });
  const board = await makeBoard(on.studio, game.id, { keepStrategy: 'BEST' });
  const played: string[] = [];
  for (let i = 0; i < 40; i += 1) {
    on.app.clock.advance(60_000);
    const player = await makePlayer(on.studio.admin, game.id, `p${i}`);
    played.push(await play(on.studio.admin, board.id, player, i === 39 ? 9_000 : 100 + i));
  }
  await review(on.studio.admin, (await flag(on.studio.admin, played[39]!)).id, { status: 'CONFIRMED_CHEAT' });
  await review(on.studio.admin, (await flag(on.studio.admin, played[0]!)).id, { status: 'FALSE_POSITIVE' });
  const before = await flags(board.id);
  const shown = await preview(game.id, { outlier_min_entries: 20 });
  expect(shown).toMatchObject({
    submissions: 40,
    confirmedCheats: 1,
    falsePositives: 1,
    now: { flagged: 0, confirmedCheats: 0 },
    after: { flagged: 1, rejected: 0, players: 1, confirmedCheats: 1, falsePositives: 0 },
    lost: [],
  });
  expect(shown.found).toMatchObject([
    { scoreEventId: played[39], flagType: 'OUTLIER', rejects: false, scoreEvent: { identity: {} } },
  ]);
  expect(shown.found[0].explanation).toMatch(/9,000\b.*[Hh]alf of all/);
  expect(await flags(board.id)).toEqual(before);
  const empty = await preview((await makeGame(on.studio)).id, null);
  expect(empty).toMatchObject({ submissions: 0, since: null, found: [], lost: [] });
});

test('it refuses settings that a game refuses, and games of others', async () => {
  const faulty = inputOf(on.game.id, { rate_limit: { a: 0 }, outlier_medium_factor: 0 });
  expect(await on.studio.admin.fault(QUERY, faulty)).toMatchObject({
    extensions: {
      code: 'VALIDATION_FAILED',
      details: [
        { loc: ['settings', 'rateLimit', 'a', 'value'] },
        { loc: ['settings', 'outlierMediumFactor', 'value'] },
      ],
    },
  });
  const stranger = await makeStudio(on.app);
  expect(await stranger.admin.code(QUERY, inputOf(on.game.id))).toBe('FORBIDDEN');
  expect(await on.app.anyone.code(QUERY, inputOf(on.game.id))).toBe('API_KEY_REQUIRED');
});
