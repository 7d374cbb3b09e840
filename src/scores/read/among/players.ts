import { createHash } from 'node:crypto';
import { DomainError, invalidField } from '../../../base/errors.js';
import { uuidOf } from '../../../base/ids.js';
import type { Board } from '../../../boards/board/board.js';
import { runStatement } from '../../../db/pool.js';
import { administers, requireAccount, requireGame } from '../../../graphql/access.js';
import type { Context } from '../../../graphql/context.js';
import { friendIds, listOwner } from '../../../players/friends/read.js';
import { type AmongListInput, MOST_AMONG } from '../../schema/inputs.js';
import type { AmongPlayers } from '../list-request.js';

/** One of the named players that belongs to another game. */
const FOREIGN = `
  select 'acc_' || account_id as account, 'gam_' || game_id as game from identities
  where id = any(?::uuid[]) and game_id <> ? and deleted_at is null order by account_id = ?, id limit 1`;

/** Players as a request names them. */
interface NamedPlayers {
  identityIds?: readonly string[] | null | undefined;
  /** The player whose stored friends they are, or `me`. */
  friendsOf?: string | null | undefined;
}

/** Where a request names the players. */
interface AmongPlaces {
  ids: string[];
  friendsOf: string[];
}

const PLACES: AmongPlaces = { ids: ['among', 'identityIds'], friendsOf: ['among', 'friendsOf'] };

/**
 * The players a request limits a board's ranking to; undefined: no limit.
 * @throws DomainError VALIDATION_FAILED; FORBIDDEN: the board only accepts stored lists, or the players are of
 * another game; NOT_FOUND: the player whose list it is
 */
export async function amongPlayers(
  context: Context,
  board: Board,
  { identityIds, friendsOf }: NamedPlayers,
  places = PLACES,
): Promise<AmongPlayers | undefined> {
  if (identityIds != null) {
    await checkNamed(context, board, identityIds, places.ids);
    const ids = [...new Set(identityIds)];
    // Cursors are short, whatever the number of players.
    return { ids, name: createHash('sha256').update(ids.toSorted().join()).digest('base64url').slice(0, 22) };
  }
  if (friendsOf == null) return undefined;
  if (context.caller.kind === 'anonymous') {
    throw invalidField(places.friendsOf, 'is only available to game clients and administrators');
  }
  const owner = await listOwner(context, friendsOf === 'me' ? undefined : friendsOf, places.friendsOf);
  return { ids: [owner, ...(await friendIds(context, owner))], name: `friends:${owner}` };
}

/** The players named by a request in REST's form. */
export function amongListed(context: Context, board: Board, among: AmongListInput | null | undefined) {
  const { playerIds, list, of } = among ?? {};
  if (playerIds != null && (list != null || of != null)) {
    throw invalidField(['among', 'list'], 'must not be combined with playerIds');
  }
  if (list == null && of != null) throw invalidField(['among', 'of'], 'is only allowed with list');
  const friendsOf = list == null ? undefined : (of ?? 'me');
  return amongPlayers(
    context,
    board,
    { identityIds: playerIds, friendsOf },
    { ids: ['among', 'playerIds'], friendsOf: ['among', 'of'] },
  );
}

async function checkNamed(
  context: Context,
  board: Board,
  ids: readonly string[],
  at: string[],
): Promise<void> {
  const { kind } = context.caller;
  if (board.friendsFrom === 'server' && !administers(context, board)) {
    throw new DomainError(
      'FORBIDDEN',
      'This board only uses friends stored by the game server. Leave player ids out.',
    );
  }
  const most = MOST_AMONG[kind];
  if (ids.length > most) throw invalidField(at, `must be at most ${most} ids here`, 'ids');
  // Visitors see no difference between a player of another game and none.
  if (kind === 'anonymous') return;
  const { db } = context;
  const values = [ids.map(uuidOf), uuidOf(board.gameId), uuidOf(board.accountId)];
  const { rows } = await runStatement<{ account: string; game: string }>(db, FOREIGN, values);
  if (!rows[0]) return;
  requireAccount(context, { accountId: rows[0].account, gameId: rows[0].game });
  requireGame(context, rows[0].game);
}
