import { BoardLifeResolver, PublicBoardLifeResolver } from '../boards/board/life-resolver.js';
import { loadBoardRecord } from '../boards/board/read.js';
import { BoardResolver, GameBoardsResolver } from '../boards/board/resolver.js';
import { updateBoard } from '../boards/board/update.js';
import { PublicBoardResolver, PublicGameResolver } from '../boards/public/resolver.js';
import { loadRatioConfig } from '../boards/ratios/read.js';
import { BoardRatioResolver, RatioConfigResolver } from '../boards/ratios/resolver.js';
import { loadTemplate } from '../boards/templates/read.js';
import {
  BoardTemplateFieldResolver,
  BoardTemplateResolver,
  GameTemplatesResolver,
} from '../boards/templates/resolver.js';
import { updateTemplate } from '../boards/templates/save.js';
import type { Module } from '../graphql/module.js';
import type { FiringHooks } from '../hooks/firing.js';
import { loadGame } from './read.js';
import { AccountGamesResolver, GameResolver, type PublicPages } from './resolver.js';
import { updateGame } from './save.js';

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
