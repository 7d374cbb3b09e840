import { START_SESSION } from '../documents.js';
import type { Operator, OperatorUser } from '../operator.js';
import { peopleOf } from '../people.js';
import type { Planted } from '../plant.js';
import type { Run } from '../shapes.js';
import * as documents from './documents.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const watchedGame = 'moonlit-drift';

/**
 * Thresholds that the simulated players keep: they never rest, and play with a few hundred values. A cheater of the demo
 * passes all of them.
 */
const FAIR_PLAY = {
  rateLimit: { a: { value: null }, b: { value: null }, c: { value: null } },
  duplicateSeconds: { a: { value: 10 }, b: { value: 10 }, c: { value: 10 } },
};

/** Cheaters wait in the queue, and these ranks stay honest. */
const HOLD_TOP = 10;

interface CheatedRun extends Run {
  /** Milliseconds before the present. */
  ago: number;
}

interface Cheater {
  name: string;
  country: string;
  city: string;
  timeZone: string;
  board: string;
  runs: CheatedRun[];
  /** Raised by hand on the last run; no check finds it. */
  reported?: { ago: number; note: string };
  /** A decision about one flag, or about all runs. */
  decision?: { ago: number; by: number; verdict: string; reason: string; allRuns?: boolean };
}

const at = (minutes: number, seconds: number, value: number): CheatedRun => ({
  ago: minutes * MINUTE - seconds * SECOND,
  value,
});

/** Some of everything that the checks find; half of it is decided. */
const cheaters: Cheater[] = [
  {
    ...{ name: 'Nitro Kuba', country: 'PL', city: 'Gdańsk', timeZone: 'Europe/Warsaw' },
    board: 'every-run',
    runs: [at(52, 0, 38_420), at(47, 0, 44_110), at(41, 0, 198_760)],
  },
  {
    ...{ name: 'ghost.driver', country: 'BR', city: 'Recife', timeZone: 'America/Recife' },
    board: 'harbour-sprint',
    runs: [at(50, 0, 84.12), at(44, 0, 12.004)],
  },
  {
    ...{ name: '速い狐', country: 'JP', city: 'Sapporo', timeZone: 'Asia/Tokyo' },
    board: 'every-run',
    runs: [at(38, 0, 47_310), at(38, 1, 49_880)],
  },
  {
    ...{ name: 'turbo_teri', country: 'NG', city: 'Lagos', timeZone: 'Africa/Lagos' },
    board: 'every-run',
    runs: [at(35, 0, 61_230), at(35, 6, 61_230), at(35, 12, 61_230)],
  },
  {
    ...{ name: 'Ласка', country: 'UA', city: 'Lviv', timeZone: 'Europe/Kyiv' },
    board: 'every-run',
    runs: [at(54, 0, 4_120), at(49, 0, 5_230), at(45, 0, 4_870), at(40, 0, 5_010), at(30, 0, 61_900)],
  },
  {
    ...{ name: 'Mateo R.', country: 'MX', city: 'Oaxaca', timeZone: 'America/Mexico_City' },
    board: 'harbour-sprint',
    runs: [at(33, 0, 71.903)],
    reported: { ago: 21 * MINUTE, note: 'A player sent a clip: the car leaves the track behind the crane.' },
  },
  {
    ...{ name: 'zero_gravity', country: 'CA', city: 'Halifax', timeZone: 'America/Halifax' },
    board: 'every-run',
    runs: [at(53, 0, 187_300)],
    decision: {
      ...{ ago: 27 * MINUTE, by: 0, verdict: 'CONFIRMED_CHEAT' },
      reason: 'No combo of this version can reach this score.',
    },
  },
  {
    ...{ name: 'Siv Ekström', country: 'SE', city: 'Malmö', timeZone: 'Europe/Stockholm' },
    board: 'every-run',
    runs: [at(46, 0, 52_700), at(46, 1, 53_090)],
    decision: {
      ...{ ago: 25 * MINUTE, by: 1, verdict: 'FALSE_POSITIVE' },
      reason: 'Two runs that were played offline and sent together.',
    },
  },
  {
    ...{ name: 'Ravi Menon', country: 'IN', city: 'Pune', timeZone: 'Asia/Kolkata' },
    board: 'every-run',
    runs: [at(43, 0, 40_040), at(43, 5, 40_040)],
    decision: {
      ...{ ago: 23 * MINUTE, by: 0, verdict: 'DISMISSED' },
      reason: 'The round value is the cap of the practice track.',
    },
  },
  {
    ...{ name: 'rapid_rui', country: 'JP', city: 'Sapporo', timeZone: 'Asia/Tokyo' },
    board: 'every-run',
    runs: [at(51, 0, 171_000), at(48, 0, 176_500), at(42, 0, 181_250)],
    decision: {
      ...{ ago: 12 * MINUTE, by: 1, verdict: 'CONFIRMED_CHEAT', allRuns: true },
      reason: 'The same trainer in every run of this player.',
    },
  },
];

interface Step {
  ago: number;
  take(): Promise<unknown>;
}

/**
 * Turns on the checks of the game and plants its cheaters, their flags and the decisions of the studio's people, each at
 * its own time, through the operations that games and reviewers use. Nothing when it was done before.
 */
export async function plantCheaters(operator: Operator, planted: Planted, now: number): Promise<void> {
  const gameId = planted.games.get(watchedGame)!;
  const known = await operator.run<{ scoreFlags: { nodes: unknown[] } }>(documents.FLAGS_OF_GAME, { gameId });
  if (known.scoreFlags.nodes.length > 0) return;
  const users = await peopleOf(operator, planted.accountId);
  operator.time = now - 60 * MINUTE;
  const identities = new Map<Cheater, string>();
  for (const cheater of cheaters) identities.set(cheater, await startSession(operator, gameId, cheater));
  const steps = cheaters.flatMap((cheater) =>
    stepsOf(operator, planted, cheater, identities.get(cheater)!, users),
  );
  operator.user = users[0];
  await operator.run(documents.SET_FAIR_PLAY, { gameId, settings: FAIR_PLAY });
  for (const board of new Set(cheaters.map(({ board }) => board))) {
    const id = planted.boards.get(`${watchedGame}/${board}`)!;
    await operator.run(documents.SET_HOLD, { id, holdTop: HOLD_TOP });
  }
  for (const { ago, take } of steps.toSorted((a, b) => b.ago - a.ago)) {
    operator.time = now - ago;
    await take();
  }
  operator.user = undefined;
  operator.time = now;
}

async function startSession(operator: Operator, gameId: string, { name }: Cheater): Promise<string> {
  const clientFingerprint = `demo-cheater-${cheaters.findIndex((cheater) => cheater.name === name) + 1}`;
  const { startDeviceSession } = await operator.run<{
    startDeviceSession: { session: { identityId: string } };
  }>(START_SESSION, { input: { gameId, clientFingerprint, platform: 'windows' } });
  return startDeviceSession.session.identityId;
}

/** Runs, the report and the decision of one cheater. */
function stepsOf(
  operator: Operator,
  { boards }: Planted,
  cheater: Cheater,
  identityId: string,
  users: OperatorUser[],
): Step[] {
  const { name: playerName, country, city, timeZone, reported, decision } = cheater;
  const boardId = boards.get(`${watchedGame}/${cheater.board}`)!;
  let lastEvent = '';
  const steps: Step[] = cheater.runs.map(({ ago, ...run }) => ({
    ago,
    take: async () => {
      operator.user = users[0];
      const input = { boardId, identityId, playerName, country, city, timeZone, ...run };
      const { createScoreEvent } = await operator.run<{
        createScoreEvent: { submission: { scoreEvent: { id: string } } };
      }>(documents.SUBMIT_EVENT, { input });
      lastEvent = createScoreEvent.submission.scoreEvent.id;
    },
  }));
  if (reported) {
    const take = () => {
      operator.user = users[0];
      const input = { scoreEventId: lastEvent, confidence: 'MEDIUM', metadata: { note: reported.note } };
      return operator.run(documents.RAISE_FLAG, { input });
    };
    steps.push({ ago: reported.ago, take });
  }
  if (decision) {
    const { verdict, reason, allRuns } = decision;
    const take = async () => {
      operator.user = users[decision.by];
      if (allRuns) {
        return operator.run(documents.REVIEW_ALL, {
          input: { target: { identityId }, decision: verdict, reason },
        });
      }
      const { scoreFlags } = await operator.run<{ scoreFlags: { nodes: { id: string }[] } }>(
        documents.FLAGS_OF,
        { identityId },
      );
      for (const { id } of scoreFlags.nodes) {
        await operator.run(documents.REVIEW_FLAG, {
          input: { id, status: verdict, reviewerDecision: reason },
        });
      }
    };
    steps.push({ ago: decision.ago, take });
  }
  return steps;
}

/** A run that no check lets pass, for the cheaters who go on while the demo runs. */
export function cheatedRun(board: string, random: { whole(from: number, to: number): number }): Run {
  if (board !== 'harbour-sprint') return { value: 10 * random.whole(16_000, 21_000) };
  return { value: random.whole(11_000, 16_000) / 1_000 };
}
