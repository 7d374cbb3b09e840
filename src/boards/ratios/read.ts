import { notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { fromRow } from '../../db/row.js';
import type { Context } from '../../graphql/context.js';
import { type LoaderSpec, recordsById } from '../../graphql/loader.js';
import { liveBoards, loadBoardRecord } from '../board/read.js';
import { RatioConfig } from './ratio-config.js';

/** By the ratio board's id. */
export const ratioConfigOfBoard: LoaderSpec<RatioConfig> = {
  batch: async (boardIds, db) => {
    const rows: { board_id: string }[] = await db('ratio_configs').whereIn('board_id', boardIds.map(uuidOf));
    return new Map(rows.map((row) => [idOf('board', row.board_id), fromRow(RatioConfig, row)]));
  },
};

/** Configurations of boards that are there. */
const ratioConfigById = recordsById(RatioConfig, (db) =>
  db('ratio_configs').whereIn('ratio_configs.board_id', liveBoards(db).select('boards.id')),
);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadRatioConfig(context: Context, id: string): Promise<RatioConfig> {
  const config = await context.loaders.of(ratioConfigById).load(id);
  if (!config) throw notFound('Ratio config');
  await loadBoardRecord(context, config.boardId);
  return config;
}
