import type { Addresses } from '../accounts/addresses.js';
import { boardLives } from '../boards/board/life-resolver.js';
import { listBoards, loadBoardRecord, loadRatioConfig } from '../boards/board/read.js';
import {
  BoardCrud,
  BoardRatioResolver,
  BoardResolver,
  BoardTicketsResolver,
  boardsBelow,
} from '../boards/board/resolver.js';
import { createBoard, updateBoard } from '../boards/board/save.js';
import { PublicBoardResolver, PublicGameResolver } from '../boards/public/resolver.js';
import { listTemplates, loadTemplate } from '../boards/templates/read.js';
import { BoardTemplateCrud, BoardTemplateResolver, templatesBelow } from '../boards/templates/resolver.js';
import { createTemplate, updateTemplate } from '../boards/templates/save.js';
import { boardViews } from '../boards/views/resolver.js';
import type { ViewLimits } from '../boards/views/rules.js';
import type { Module } from '../graphql/schema.js';
import type { FiringHooks } from '../hooks/firing.js';
import { listGames, loadGame } from './read.js';
import { GameCrud, GameResolver, gamesBelowAccount } from './resolver.js';
import { createGame, updateGame } from './save.js';

/** Games and boards, and their public views. */
export function gamesModule(addresses: Addresses, limits: ViewLimits, hooks: FiringHooks): Module {
  const games = new GameCrud({
    load: loadGame,
    list: listGames,
    create: (context, input) => createGame(context, hooks, input),
    update: updateGame,
  });
  const boards = new BoardCrud({
    load: loadBoardRecord,
    list: listBoards,
    create: (context, input) => createBoard(context, hooks, limits, input),
    update: (context, id, input) => updateBoard(context, limits, id, input),
  });
  const templates = new BoardTemplateCrud({
    load: loadTemplate,
    list: listTemplates,
    create: (context, input) => createTemplate(context, hooks, limits, input),
    update: (context, id, input) => updateTemplate(context, hooks, limits, id, input),
  });
  return {
    resolvers: [
      games,
      boards,
      templates,
      new GameResolver(addresses),
      gamesBelowAccount,
      new BoardResolver(addresses),
      ...boardsBelow,
      new BoardRatioResolver(),
      new BoardTicketsResolver(),
      new PublicGameResolver(addresses),
      new PublicBoardResolver(addresses),
      ...boardLives,
      new BoardTemplateResolver(),
      ...templatesBelow,
      ...boardViews,
    ],
    nodes: [
      { ...games.node, allowReference: ['read', 'client'] },
      // Whoever sees what was submitted to a board sees the board; its entries and lists need more.
      { ...boards.node, allowReference: ['own', 'client'] },
      templates.node,
      {
        kind: 'ratioConfig',
        allow: ['read', 'client'],
        load: (id, context) => loadRatioConfig(context, id),
      },
    ],
  };
}
