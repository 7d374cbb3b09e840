import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { User } from '../../accounts/users/user.js';
import { Board } from '../../boards/board/board.js';
import { Row } from '../../db/row.js';
import { Game } from '../../games/game.js';
import { enumOf } from '../../graphql/enums.js';
import { Node, references } from '../../graphql/node.js';
import { IsIdOf, MaxLength, NotNull } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { Identity } from '../../players/identities/identity.js';
import { PodiumChange } from '../standings/podium.js';

const LONGEST_REASON = 1_000;

export const PlayerMergeStatus = enumOf('PlayerMergeStatus', 'Progress of a merge of players.', {
  applying: 'Some boards are still being updated.',
  applied: 'All runs of the source count for the target.',
  undoing: 'Some boards are still being restored.',
  undone: 'Both are players of their own again.',
});
export type PlayerMergeStatus = (typeof PlayerMergeStatus)[keyof typeof PlayerMergeStatus];

@ObjectType({
  implements: Node,
  description: 'A merge of two players: all runs of the source count for the target until it is undone.',
  simpleResolvers: true,
})
export class PlayerMerge extends Row {
  static override tableName = 'player_merges';
  static override ids = {
    id: 'playerMerge',
    accountId: 'account',
    gameId: 'game',
    sourceId: 'identity',
    targetId: 'identity',
    requestedBy: 'user',
    undoneBy: 'user',
  } as const;

  @Field(() => ID, { description: 'The id, `mrg_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of the game.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game of both players.' })
  gameId!: string;

  @Field(() => ID, { description: 'The player whose runs count for the other one.' })
  sourceId!: string;

  @Field(() => ID, { description: 'The player that stays.' })
  targetId!: string;

  @Field(() => PlayerMergeStatus, { description: 'Its progress.' })
  status!: PlayerMergeStatus;

  @Field(() => String, { nullable: true, description: 'The reason. Null if none was given.' })
  reason!: string | null;

  @Field(() => ID, {
    name: 'requestedById',
    simple: false,
    nullable: true,
    description: 'The user who merged them. Null: the player did.',
  })
  requestedBy!: string | null;

  @Field(() => ID, {
    name: 'undoneById',
    simple: false,
    nullable: true,
    description: 'The user who undid it. Null if it was not undone.',
  })
  undoneBy!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was undone. Null if it was not.' })
  undoneAt!: Date | null;

  leasedUntil!: Date;

  @Field(() => DateTime, { description: 'When the players were merged.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}

references(PlayerMerge, {
  ...{ account: Account, game: Game, source: Identity, target: Identity },
  ...{ requestedBy: User, undoneBy: User },
});

@ObjectType({ description: 'What a merge of players would change on one board.', simpleResolvers: true })
export class BoardMerge {
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => Int, { description: 'Runs of the source there. 0 on ratio boards, which have none.' })
  runs!: number;

  @Field(() => Int, { description: 'Flags of these runs.' })
  flags!: number;

  @Field(() => Int, {
    description: 'Scores whose rank changes or that leave or enter the ranking, production and test.',
  })
  moved!: number;

  @Field(() => [PodiumChange], { description: 'Ranks 1 to 3 in production, before and after.' })
  podium!: PodiumChange[];
}

references(BoardMerge, { board: Board });

@InputType({ description: 'Two players to merge.' })
export class MergePlayersInput {
  @IsIdOf('identity')
  @Field(() => ID, { description: 'The player whose runs will count for the other one.' })
  sourceId!: string;

  @IsIdOf('identity')
  @Field(() => ID, { description: 'The player that stays, of the same game.' })
  targetId!: string;

  @MaxLength(LONGEST_REASON)
  @Field(() => String, { nullable: true, description: 'Reason, up to 1,000 characters.' })
  reason?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Returns the exact effect without changing anything. Default: false.',
  })
  dryRun?: boolean | null;
}

@InputType({ description: 'Changes to a merge of players.' })
export class UpdatePlayerMergeInput {
  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description: 'Set to true to undo the merge. Every run counts for the player who played it again.',
  })
  undone?: boolean;
}

@InputType({ description: 'Which merges to list.' })
export class PlayerMergeFilter {
  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only merges of players of this game.' })
  gameId?: string | null;

  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'Only merges of this player, as source or target.' })
  identityId?: string | null;

  @Field(() => PlayerMergeStatus, { nullable: true, description: 'Only merges with this status.' })
  status?: PlayerMergeStatus | null;
}
