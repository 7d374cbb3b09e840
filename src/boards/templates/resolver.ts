import { Arg, Ctx, Field, FieldResolver, ID, InputType, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { Game } from '../../games/game.js';
import type { Context } from '../../graphql/context.js';
import { NOT_FOR_CLIENTS, references } from '../../graphql/node.js';
import { listBelow } from '../../graphql/records/below.js';
import { crudOf } from '../../graphql/records/crud.js';
import { IS_DELETED, listsOf } from '../../graphql/records/list.js';
import { Allow } from '../../graphql/rights.js';
import { IsIdOf } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { Board } from '../board/board.js';
import { listBoards } from '../board/read.js';
import { boardLists } from '../board/resolver.js';
import { inputOf } from '../views/template-views.js';
import { TemplateView } from '../views/view.js';
import { BoardPreview, previewTemplate } from './preview.js';
import { listTemplates, sortableTemplates } from './read.js';
import {
  BoardTemplate,
  CreateBoardTemplateInput,
  PreviewBoardTemplateInput,
  UpdateBoardTemplateInput,
} from './template.js';
import { windowAt } from './windows.js';

@InputType({ description: 'Which board templates to list.' })
class BoardTemplateFilter {
  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only templates of this game.' })
  gameId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: only active templates. False: only inactive ones.',
  })
  isActive?: boolean | null;

  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}

const lists = listsOf(() => BoardTemplate, 'BoardTemplate', {
  sortable: sortableTemplates,
  filter: BoardTemplateFilter,
  account: 'Only templates of this account.',
});

export const BoardTemplateCrud = crudOf(() => BoardTemplate, {
  kind: 'boardTemplate',
  lists,
  create: CreateBoardTemplateInput,
  update: UpdateBoardTemplateInput,
  allow: { read: ['read'], create: ['configure'], update: ['configure'] },
  texts: {
    record: 'The board template.',
    one: 'One board template.',
    list: "Board templates of the caller's account. Superadmins see all accounts.",
    create:
      'Creates a board template. For daily or weekly rankings of one board, declare `views` on the board instead.',
    update: 'Changes, deletes or restores a board template.',
  },
});

@Resolver(() => BoardTemplate)
export class BoardTemplateResolver {
  @Allow('read')
  @Query(() => [BoardPreview], {
    complexity: 5,
    description:
      'Previews the next five boards of a template: a saved one, with the changes in the input, or a new one. Changes nothing.',
  })
  previewBoardTemplate(
    @Arg('input', () => PreviewBoardTemplateInput, { description: 'The template and its changes.' })
    input: PreviewBoardTemplateInput,
    @Ctx() context: Context,
  ) {
    return previewTemplate(context, input);
  }

  @FieldResolver(() => DateTime, {
    description: 'Start of the window that contains this moment, also if its next window is later.',
  })
  windowStartsAt(@Root() template: BoardTemplate, @Ctx() { clock }: Context) {
    return windowAt(template, new Date(clock())).start;
  }

  @FieldResolver(() => [TemplateView], { description: 'Views of its boards.' })
  views(@Root() { views }: BoardTemplate) {
    return views.map(inputOf);
  }
}

export const templatesBelow = [
  listBelow(BoardTemplate, 'boards', {
    lists: boardLists,
    read: listBoards,
    own: ({ id, accountId }) => ({ accountId, templateId: id }),
    description: 'Boards that it created or that are linked to it.',
  }),
  listBelow(Account, 'boardTemplates', {
    lists,
    read: listTemplates,
    own: ({ id }) => ({ accountId: id }),
    description: 'Its board templates.',
  }),
  listBelow(Game, 'boardTemplates', {
    lists,
    read: listTemplates,
    own: (game) => ({ gameId: game.id, game }),
    description: 'Its board templates.',
    forAdministrators: true,
  }),
];

references(BoardTemplate, { account: Account, game: Game });
references(Board, { createdFromTemplate: { type: BoardTemplate, note: NOT_FOR_CLIENTS } });
