import type { Board, CreateBoardInput } from '../../src/boards/board/board.js';
import type {
  CreateBoardTemplateInput,
  UpdateBoardTemplateInput,
} from '../../src/boards/templates/template.js';
import type { InsertOf } from '../../src/db/row.js';
import type { CreateGameInput, Game } from '../../src/games/game.js';
import type * as hooks from '../../src/hooks/hooks.js';
import { Recorder } from '../support/hooks/recorder.js';

type Same<A, B> = [keyof A] extends [keyof B] ? ([keyof B] extends [keyof A] ? true : never) : never;

/** A field that is added to an input or a record has to be declared to hooks: the compiler checks it. */
const ALIKE: [
  Same<hooks.NewGame, Omit<CreateGameInput, 'antiCheatObject'>>,
  Same<hooks.NewBoard, CreateBoardInput>,
  Same<hooks.NewBoardTemplate, CreateBoardTemplateInput>,
  Same<hooks.BoardTemplateChange, UpdateBoardTemplateInput & { id: string; accountId: string }>,
  Same<hooks.Game, Omit<InsertOf<Game>, 'logo' | 'cover' | 'prizesHeldAt'>>,
  Same<hooks.Board, Omit<InsertOf<Board>, 'seriesNumber' | 'periodStartsAt' | 'rehearsalOfId'>>,
] = [true, true, true, true, true, true];

/** The hooks with a place in a request; modules rely on their names. */
const DECIDED = `preCreateGame, postCreateGame, preCreateBoard, postCreateBoard, preCreateBoardTemplate, preUpdateBoardTemplate,
preCreateScore, postCreateScore, postCompleteRegistration, rateLimit`;

test('the exported hooks are those of the decisions', () => {
  expect(ALIKE).not.toContain(false);
  const names = Object.keys(new Recorder().hooks).filter((name) => name !== 'jobs');
  expect(names.toSorted()).toEqual(DECIDED.split(/,\s+/).toSorted());
});
