import { Field, ID, ObjectType } from 'type-graphql';
import { Row } from '../db/row.js';
import { Node } from '../graphql/node.js';
import { DateTime } from '../graphql/scalars.js';
import type { AntiCheatSettings } from './anti-cheat-settings.js';

@ObjectType({
  implements: Node,
  description: 'A game of an account; its boards belong to it.',
  simpleResolvers: true,
})
export class Game extends Row {
  static override tableName = 'games';
  static override ids = { id: 'game', accountId: 'account', defaultBoardId: 'board' } as const;

  @Field(() => ID, { description: 'The id, `gam_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account it belongs to, for ever.' })
  accountId!: string;

  @Field(() => String, { description: 'Unique among the games of its account.' })
  name!: string;

  @Field(() => String, { description: 'Unique name in addresses; never changes.' })
  slug!: string;

  @Field(() => String, { nullable: true, description: 'What it is about.' })
  description!: string | null;

  @Field(() => String, { nullable: true, description: "Address of the game's own page." })
  pageUrl!: string | null;

  /** Exposed by a field resolver: not to clients of other games. */
  platformAppId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The board to show first.' })
  defaultBoardId!: string | null;

  @Field(() => Boolean, { description: 'Whether submissions are checked for cheating.' })
  antiCheatEnabled!: boolean;

  /** Its own thresholds; null: the service's. Shown to administrators only. */
  antiCheatSettings!: AntiCheatSettings | null;

  @Field(() => [String], { description: 'Free labels.' })
  tags!: string[];

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}
