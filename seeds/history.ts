import * as documents from './documents.js';
import type { Operator } from './operator.js';
import type { Player } from './players.js';
import type { Random } from './random.js';
import type { SeedBoard, SeedGame } from './shapes.js';

/** Every so many players, one is of the studio itself and plays for testing. */
const TESTERS = 12;

/** A game with those who play it. */
export interface Crew {
  accountId: string;
  gameId: string;
  game: SeedGame;
  players: Player[];
  /** Ids by fingerprint. */
  identities: Map<string, string>;
}

export interface Submission {
  /** Epoch milliseconds. */
  at: number;
  input: Record<string, unknown>;
}

/** The plays on a board in a period, with their players. */
export interface History {
  boardId: string;
  board: Pick<SeedBoard, 'runs' | 'play'>;
  players: Player[];
  /** Ids by fingerprint. */
  identities: Map<string, string>;
  /** Epoch milliseconds. */
  from: number;
  to: number;
}

/** Everybody's runs in that while; none of players who have scores on the board already. */
export async function historyOf(
  operator: Operator,
  { boardId, board, players, identities, from, to }: History,
  random: Random,
): Promise<Submission[]> {
  const submissions: Submission[] = [];
  const { board: found } = await operator.run<{ board: { scores: { nodes: unknown[] } } }>(
    documents.HAS_SCORES,
    { board: boardId },
  );
  const isNew = found.scores.nodes.length === 0;
  for (const [i, player] of players.entries()) {
    const identityId = identities.get(player.fingerprint)!;
    // Drawn before it is known whether they are needed, so that everything else comes out the same.
    const plays = Array.from({ length: random.whole(1, board.runs) }, () => ({
      at: to - Math.round(random.next() * (to - from)),
      run: board.play(player, random),
    }));
    if (!isNew && (await hasPlayed(operator, boardId, identityId))) continue;
    const { name: playerName, country, city, timeZone } = player;
    const isTest = i % TESTERS === TESTERS - 1;
    for (const { at, run } of plays) {
      submissions.push({
        at,
        input: { boardId, identityId, isTest, playerName, country, city, timeZone, ...run },
      });
    }
  }
  return submissions;
}

async function hasPlayed(operator: Operator, board: string, identity: string): Promise<boolean> {
  const played = await operator.run<{ board: { scores: { nodes: unknown[] } } }>(documents.PLAYED, {
    board,
    identity,
  });
  return played.board.scores.nodes.length > 0;
}

/** Submits in the order of time, each at its own. @returns how many there were */
export async function submitAll(operator: Operator, submissions: Submission[]): Promise<number> {
  for (const { at, input } of submissions.toSorted((a, b) => a.at - b.at)) {
    operator.time = at;
    await operator.run(documents.SUBMIT, { input });
  }
  return submissions.length;
}
