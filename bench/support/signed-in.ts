import { Tokens } from '../../src/players/tokens.js';
import type { BuiltBoard } from './bulk-board.js';
import type { Client } from './load-generator.js';

/** The board's players with tokens of their sessions, as many to each connection. */
export async function signedIn(
  board: BuiltBoard,
  jwtSecret: string,
  connections: number,
): Promise<Client[][]> {
  const day = 86_400;
  const tokens = new Tokens({ jwtSecret, accessTokenSeconds: day, refreshTokenSeconds: day }, Date.now);
  const { accountId, gameId } = board;
  const clients = await Promise.all(
    board.players.map(async (player) => {
      const { deviceId, identityId, sessionId } = player;
      const claims = { deviceId, gameId, accountId, identityId, sessionId, testMode: false, version: 1 };
      const { accessToken } = await tokens.issue(claims, Date.now());
      return { ...player, token: accessToken };
    }),
  );
  return Array.from({ length: connections }, (_, k) => clients.filter((_, i) => i % connections === k));
}
