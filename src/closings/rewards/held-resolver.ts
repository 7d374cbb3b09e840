import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { Context } from '../../graphql/context.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { Reward } from './reward.js';

const HELD = `select w.id from rewards w join closings c on c.board_id = w.board_id and c.id = w.closing_id join games g on g.id = c.game_id
  where w.id = any(?::uuid[]) and w.status = 'open' and c.prizes_status = 'held' and g.prizes_held_at is not null`;

const heldRewards: LoaderSpec<boolean> = {
  batch: async (ids, db) => {
    const { rows } = await runStatement<{ id: string }>(db, HELD, [ids.map(uuidOf)]);
    const held = new Set(rows.map(({ id }) => id));
    return new Map(ids.map((id) => [id, held.has(uuidOf(id))]));
  },
};

@Resolver(() => Reward)
export class RewardHeldResolver {
  @FieldResolver(() => Boolean, {
    nullable: true,
    description:
      'True: a backup was restored, and it can be claimed and acknowledged once the studio has released it.',
  })
  isHeld(@Root() { id, status }: Reward, @Ctx() context: Context) {
    return status === 'open' && context.loaders.of(heldRewards).load(id);
  }
}
