import type { Module } from '../graph/module.js';
import type { FiringHooks } from '../hooks/firing.js';
import { BoardResolver, GameBoardsResolver } from './boards/board-resolver.js';
import { BoardLifeResolver, PublicBoardLifeResolver } from './boards/life-resolver.js';
import { PublicBoardResolver, PublicGameResolver } from './boards/public-resolver.js';
import { loadRatioConfig } from './boards/ratio-read.js';
import { BoardRatioResolver, RatioConfigResolver } from './boards/ratio-resolver.js';
import { loadBoardRecord } from './boards/read.js';
import { updateTemplate } from './boards/save-template.js';
import { loadTemplate } from './boards/template-read.js';
import {
  BoardTemplateFieldResolver,
  BoardTemplateResolver,
  GameTemplatesResolver,
} from './boards/template-resolver.js';
import { updateBoard } from './boards/update-board.js';
import { AccountGamesResolver, GameResolver, type PublicPages } from './game-resolver.js';
import { loadGame } from './read.js';
import { updateGame } from './save-game.js';

const RESTORE = { deleted: false };

/** Games and boards, and what everybody may see of them. */
export function gamesModule(pages: PublicPages, hooks: FiringHooks): Module {
  return {
    resolvers: [
      new GameResolver(pages, hooks),
      new AccountGamesResolver(),
      new BoardResolver(pages, hooks),
      new GameBoardsResolver(),
      new BoardRatioResolver(),
      new RatioConfigResolver(),
      new PublicGameResolver(pages),
      new PublicBoardResolver(pages),
      new BoardLifeResolver(),
      new PublicBoardLifeResolver(),
      new BoardTemplateResolver(hooks),
      new BoardTemplateFieldResolver(),
      new GameTemplatesResolver(),
    ],
    nodes: [
      {
        kind: 'game',
        roles: ['admin'],
        load: (id, context) => loadGame(context, id),
        restore: (id, context) => updateGame(context, id, RESTORE),
      },
      {
        kind: 'board',
        roles: ['admin', 'client'],
        load: (id, context) => loadBoardRecord(context, id),
        restore: (id, context) => updateBoard(context, id, RESTORE),
      },
      {
        kind: 'ratioConfig',
        roles: ['admin', 'client'],
        load: (id, context) => loadRatioConfig(context, id),
      },
      {
        kind: 'boardTemplate',
        roles: ['admin'],
        load: (id, context) => loadTemplate(context, id),
        restore: (id, context) => updateTemplate(context, hooks, id, RESTORE),
      },
    ],
  };
}
