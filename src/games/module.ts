import type { Addresses } from '../accounts/addresses.js';
import type { CreateBoardInput, UpdateBoardInput } from '../boards/board/board.js';
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
import type { CreateBoardTemplateInput, UpdateBoardTemplateInput } from '../boards/templates/template.js';
import { boardViews } from '../boards/views/resolver.js';
import type { ViewLimits } from '../boards/views/rules.js';
import type { Context } from '../graphql/context.js';
import type { Module } from '../graphql/schema.js';
import type { FiringHooks } from '../hooks/firing.js';
import type { CreateGameInput } from './game.js';
import { listGames, loadGame } from './read.js';
import { GameCrud, GameResolver, gamesBelowAccount } from './resolver.js';
import { createGame, updateGame } from './save.js';

/** Games and boards, and their public views; with the writes of their records. */
export function gamesModule(addresses: Addresses, limits: ViewLimits, hooks: FiringHooks) {
  const game = {
    create: (context: Context, input: CreateGameInput) => createGame(context, hooks, input),
    update: updateGame,
  };
  const board = {
    create: (context: Context, input: CreateBoardInput) => createBoard(context, hooks, limits, input),
    update: (context: Context, id: string, input: UpdateBoardInput) =>
      updateBoard(context, limits, id, input),
  };
  const template = {
    create: (context: Context, input: CreateBoardTemplateInput) =>
      createTemplate(context, hooks, limits, input),
    update: (context: Context, id: string, input: UpdateBoardTemplateInput) =>
      updateTemplate(context, hooks, limits, id, input),
  };
  const games = new GameCrud({ load: loadGame, list: listGames, ...game });
  const boards = new BoardCrud({ load: loadBoardRecord, list: listBoards, ...board });
  const templates = new BoardTemplateCrud({ load: loadTemplate, list: listTemplates, ...template });
  const module: Module = {
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
  return { ...module, writes: { game, board, template } };
}
