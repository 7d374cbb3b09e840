import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../accounts/audit/entry.js';
import { uuidOf } from '../base/ids.js';
import { PICTURE_TYPES, type Picture, type PictureType } from '../base/pictures/picture.js';
import type { PictureKind, StoredPicture } from '../base/pictures/stored.js';
import { refuseMoved } from '../db/moved.js';
import { runStatement } from '../db/pool.js';
import { lockRecord, saveRecord } from '../db/save.js';
import { ofGame, requireAccount } from '../graphql/access.js';
import { auditedWrite } from '../graphql/author.js';
import type { Context } from '../graphql/context.js';
import { Game } from './game.js';
import { liveGames } from './read.js';

function nameOf({ digest, type }: Pick<Picture, 'digest' | 'type'>): string {
  return `${digest}.${PICTURE_TYPES[type]}`;
}

const WRITE = `insert into game_pictures (game_id, kind, type, digest, size, width, height, bytes, created_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (game_id, kind) do update set type = excluded.type, digest = excluded.digest, size = excluded.size,
    width = excluded.width, height = excluded.height, bytes = excluded.bytes, created_at = excluded.created_at`;
const REMOVE = 'delete from game_pictures where game_id = ? and kind = ?';

/**
 * Stores a checked picture as the game's logo or cover, or removes it, and notifies the game's readers.
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export async function saveGamePicture(
  context: Context,
  id: string,
  kind: PictureKind,
  picture: Picture | null,
): Promise<void> {
  const now = new Date(context.clock());
  const name = picture && nameOf(picture);
  await auditedWrite(context, async (trx) => {
    const game = await lockRecord(Game, liveGames(trx), id, 'Game');
    requireAccount(context, ofGame(game));
    const before = game[kind];
    if (before === name) return;
    if (picture) {
      const { type, digest, width, height, bytes } = picture;
      const values = [uuidOf(id), kind, type, digest, bytes.length, width, height, bytes, now];
      await runStatement(trx, WRITE, values);
    } else await runStatement(trx, REMOVE, [uuidOf(id), kind]);
    await saveRecord(trx, game, { [kind]: name }, now);
    await recordAudit(trx, context, {
      accountId: game.accountId,
      gameId: id,
      action: AuditAction.GAME_PICTURE_CHANGED,
      subjectId: id,
      before: { [kind]: before },
      after: { [kind]: name },
    });
  });
  context.changed(id);
}

const READ = `select case when ?::boolean then p.bytes end as bytes
  from game_pictures p join games g on g.id = p.game_id join accounts a on a.id = g.account_id
  where p.digest = ? and p.type = ? and g.deleted_at is null and a.deleted_at is null and a.status = 'active' limit 1`;

const OF_PICTURE = `t.deleted_at is null
  and exists (select from game_pictures p where p.game_id = t.id and p.digest = ? and p.type = ?)`;

/**
 * A picture of a live game by its digest; undefined: there is none, or its account is not active.
 * @param whole false leaves out the bytes
 */
export async function readGamePicture(
  db: Knex,
  digest: string,
  type: PictureType,
  whole: boolean,
): Promise<StoredPicture | undefined> {
  const { rows } = await runStatement<StoredPicture>(db, READ, [whole, digest, type]);
  if (!rows[0]) await refuseMoved(db, 'games', OF_PICTURE, [digest, type]);
  return rows[0];
}
