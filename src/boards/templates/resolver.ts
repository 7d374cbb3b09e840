import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Game } from '../../games/game.js';
import { loadGame } from '../../games/read.js';
import { Allow, adminOf } from '../../graphql/access.js';
import { connectionOf, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { IdArg, IsIdOf } from '../../graphql/rules.js';
import type { FiringHooks } from '../../hooks/firing.js';
import { Board } from '../board/board.js';
import { listBoards } from '../board/read.js';
import { BoardConnection } from '../board/resolver.js';
import { CreateBoardTemplateInput, UpdateBoardTemplateInput } from './inputs.js';
import { listTemplates, loadTemplate, templateById } from './read.js';
import { createTemplate, updateTemplate } from './save.js';
import { BoardTemplate } from './template.js';

export const BoardTemplateConnection = connectionOf(() => BoardTemplate, 'BoardTemplate');

@ObjectType({ description: 'A board template that was written.', simpleResolvers: true })
class BoardTemplatePayload {
  @Field(() => BoardTemplate, { description: 'The board template.' })
  boardTemplate!: BoardTemplate;
}

@ArgsType()
class BoardTemplatesArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only templates of this account.' })
  accountId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only templates of this game.' })
  gameId?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Only active ones, or only others.' })
  isActive?: boolean | null;
}

@Resolver(() => BoardTemplate)
export class BoardTemplateResolver {
  constructor(private readonly hooks: FiringHooks) {}

  @Allow('admin')
  @Query(() => BoardTemplate, { description: 'One board template.' })
  boardTemplate(@IdArg('boardTemplate') id: string, @Ctx() context: Context) {
    return loadTemplate(context, id);
  }

  @Allow('admin')
  @Query(() => BoardTemplateConnection, {
    description: "Board templates of the caller's account; a superadmin sees all.",
  })
  boardTemplates(@Args(() => BoardTemplatesArgs) args: BoardTemplatesArgs, @Ctx() context: Context) {
    return listTemplates(context, args, args);
  }

  @Allow('admin')
  @Mutation(() => BoardTemplatePayload, { description: 'Creates a board template.' })
  async createBoardTemplate(
    @Arg('input', () => CreateBoardTemplateInput, { description: 'The board template.' })
    input: CreateBoardTemplateInput,
    @Ctx() context: Context,
  ) {
    return { boardTemplate: await createTemplate(context, this.hooks, input) };
  }

  @Allow('admin')
  @Mutation(() => BoardTemplatePayload, { description: 'Changes, deletes or restores a board template.' })
  async updateBoardTemplate(
    @IdArg('boardTemplate') id: string,
    @Arg('input', () => UpdateBoardTemplateInput, { description: 'What changes.' })
    input: UpdateBoardTemplateInput,
    @Ctx() context: Context,
  ) {
    return { boardTemplate: await updateTemplate(context, this.hooks, id, input) };
  }

  @FieldResolver(() => Game, { nullable: true, description: 'Its game.' })
  game(@Root() template: BoardTemplate, @Ctx() context: Context) {
    return loadGame(context, template.gameId);
  }

  @FieldResolver(() => BoardConnection, { description: 'The boards it made or that are linked to it.' })
  boards(
    @Root() template: BoardTemplate,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    return listBoards(context, page, { accountId: template.accountId, templateId: template.id });
  }
}

@Resolver(() => Board)
export class BoardTemplateFieldResolver {
  @FieldResolver(() => BoardTemplate, {
    nullable: true,
    description: 'The template it was made from, as long as that is there. For administrators only.',
  })
  template(@Root() { createdFromTemplateId: id }: Board, @Ctx() context: Context) {
    adminOf(context);
    return id && context.loaders.of(templateById).load(id);
  }
}

@Resolver(() => Game)
export class GameTemplatesResolver {
  @FieldResolver(() => BoardTemplateConnection, {
    description: 'Its board templates. For administrators only.',
  })
  boardTemplates(
    @Root() game: Game,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    return listTemplates(context, page, { game });
  }
}
