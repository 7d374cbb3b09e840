import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { ApiKey } from '../../accounts/keys/api-key.js';
import { User } from '../../accounts/users/user.js';
import { Board } from '../../boards/board/board.js';
import { BareRow } from '../../db/row.js';
import { Game } from '../../games/game.js';
import { enumOf } from '../../graphql/enums.js';
import { Node, references } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';
import { Identity } from '../../players/identities/identity.js';
import { DeviceSession } from '../../players/sessions/device-session.js';
import { Closing } from '../closing.js';

export const RewardStatus = enumOf('RewardStatus', 'The status of a reward.', {
  open: 'It can be claimed.',
  claimed: 'The player has claimed it.',
  acknowledged: 'The game server has handed it out.',
  expired: 'Nobody claimed it in time.',
  revoked: 'The studio has withdrawn it.',
});
export type RewardStatus = (typeof RewardStatus)[keyof typeof RewardStatus];

@ObjectType('Reward', {
  implements: Node,
  description: 'A prize that a closing has granted to a player. Each is granted once.',
  simpleResolvers: true,
})
export class Reward extends BareRow {
  static override tableName = 'rewards';
  static override ids = {
    id: 'reward',
    accountId: 'account',
    gameId: 'game',
    boardId: 'board',
    closingId: 'closing',
    identityId: 'identity',
    claimedBy: 'deviceSession',
    acknowledgedBy: 'apiKey',
    revokedBy: 'user',
  } as const;

  @Field(() => ID, {
    description:
      'The id, `rwd_<uuid>`: made from the names of closing, line and player, hence the same after a ' +
      'restore. Keep it, and hand nothing out twice.',
  })
  override id!: string;

  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game.' })
  gameId!: string;

  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => ID, { description: 'The closing.' })
  closingId!: string;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => Boolean, { description: 'True: of a test session. Never hand it out for real.' })
  isTest!: boolean;

  @Field(() => String, { description: 'Name of the line of the prize table.' })
  line!: string;

  @Field(() => Int, { description: "The player's rank." })
  rank!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of players with the same value who share it. Null: it is one player’s.',
  })
  sharedBy!: number | null;

  @Field(() => RewardStatus as never, { description: 'Its status.' })
  status!: RewardStatus;

  @Field(() => DateTime, { nullable: true, description: 'When it expires unless claimed. Null: never.' })
  expiresAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When the player claimed it. Null: not claimed.' })
  claimedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the game server acknowledged it. Null: not acknowledged.',
  })
  acknowledgedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked. Null: it was not.' })
  revokedAt!: Date | null;

  /** The people and keys who did it are fields of the resolver, for administrators. */
  claimedBy!: string | null;
  acknowledgedBy!: string | null;
  revokedBy!: string | null;
  revokeReason!: string | null;

  @Field(() => DateTime, { description: 'When it was granted.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

references(Reward, {
  ...{ account: Account, game: Game, board: Board, closing: Closing, identity: Identity },
  ...{ claimedBy: DeviceSession, acknowledgedBy: ApiKey, revokedBy: User },
});
