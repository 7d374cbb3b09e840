import DataLoader from 'dataloader';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Addresses } from '../accounts/addresses.js';
import { idOf } from '../base/ids.js';
import { watchAddress } from '../boards/recordings/settings.js';
import type { Context } from '../graphql/context.js';
import { mayRead, recordedIn, slotOf } from './ghosts.js';
import type { ScoreReads } from './loaders.js';
import type { RecordingAddresses } from './recordings/address.js';
import { Entry } from './standings/entry.js';
import type { Ranking } from './standings/ranking.js';

@Resolver(() => Entry)
export class EntryWatchResolver {
  constructor(
    private readonly reads: ScoreReads,
    private readonly recordings: RecordingAddresses,
    private readonly addresses: Addresses,
  ) {}

  @FieldResolver(() => String, {
    nullable: true,
    complexity: 2,
    description:
      "Page of the studio that shows the run's recording, for ten minutes. Null: the board has no `watchUrl`, the run no " +
      'recording, or the caller may not read it.',
  })
  async watchUrl(@Root() { listed, place, isPlaceholder }: Entry, @Ctx() context: Context) {
    const watchUrl = place.record.recordings?.watchUrl;
    if (!watchUrl || isPlaceholder || !mayRead(context, place)) return null;
    const event = await context.loaders.by(place, () => this.#events(place)).load(slotOf(place, listed));
    const file = event && this.addresses.service(this.recordings.pathOf(event, context.clock()));
    return file ? watchAddress(watchUrl, file) : null;
  }

  /** Events with a recording by the slots of their entries: one statement for a page. */
  #events(ranking: Ranking): DataLoader<string, string | undefined> {
    return new DataLoader(async (slots) => {
      const rows = await recordedIn(this.reads.pool, ranking, slots, null);
      const events = new Map(rows.map(({ n, id }) => [n, idOf('scoreEvent', id)]));
      return slots.map((_, i) => events.get(i + 1));
    });
  }
}
