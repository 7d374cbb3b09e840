import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Context } from '../../graphql/context.js';
import { type LoaderSpec, recordsById } from '../../graphql/loader.js';
import { liveBoards, loadBoardRecord } from '../board/read.js';
import { RatioConfig } from './ratio-config.js';

/** By the ratio board's id. */
export const ratioConfigOfBoard: LoaderSpec<RatioConfig> = {
  batch: async (boardIds, db) => {
    const configs = await RatioConfig.query(db).whereIn('board_id', boardIds.map(uuidOf));
    return new Map(configs.map((config) => [config.boardId, config]));
  },
};

/** Configurations of live boards. */
const ratioConfigById = recordsById(RatioConfig, (db) =>
  RatioConfig.query(db).whereIn('ratio_configs.board_id', liveBoards(db).select('boards.id')),
);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadRatioConfig(context: Context, id: string): Promise<RatioConfig> {
  const config = await context.loaders.of(ratioConfigById).load(id);
  if (!config) throw notFound('Ratio config');
  await loadBoardRecord(context, config.boardId);
  return config;
}
