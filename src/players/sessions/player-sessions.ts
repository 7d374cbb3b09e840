import { Limit, type TurnLimits, Turns } from '../../base/limits.js';

/** Starts of one player within an hour: a player who signs in on a few devices needs less. */
const STARTS_OF_PLAYER = 60;
const HOUR_SECONDS = 3_600;

/** Of one process: a launch sends thousands at once, and the others' go on. */
const STARTS: TurnLimits = { atATime: 20, ofOwner: 4, waiting: 2_000, patienceMs: 5_000 };

/**
 * Counts a start of a session by an account's game server, then waits for its account's turn.
 * Rejects with DomainError RATE_LIMITED, UNAVAILABLE.
 */
export type CountPlayerSession = <T>(
  accountId: string,
  identityId: string,
  work: () => Promise<T>,
) => Promise<T>;

/** Limits sessions that game servers start, by player of an account, and shares the work among accounts. */
export function playerSessions(): CountPlayerSession {
  const ofPlayers = new Limit(STARTS_OF_PLAYER, HOUR_SECONDS, { what: 'sessions of this player' });
  const turns = new Turns(STARTS);
  return async (accountId, identityId, work) => {
    // By the caller's account, too: nobody uses up what another account's player has.
    await ofPlayers.count(`${accountId} ${identityId}`);
    return turns.run(work, accountId);
  };
}
