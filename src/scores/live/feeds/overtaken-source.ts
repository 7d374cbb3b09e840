import { isBefore } from '../../order.js';
import type { Mover } from '../movers.js';
import { type Round, Source, type States } from '../source.js';
import type { Standing } from '../standings.js';
import { Overtaken, Overtaker } from './changes.js';

const MOST_TOLD = 10;

/** Movers that stood behind this player, or were not ranked, and stand before it now. */
function passed(movers: readonly Mover[], me: string, before: Standing, now: Standing): Mover[] {
  return movers.filter(
    (mover) =>
      mover.identityId !== me && isBefore(mover, now) && (!mover.before || isBefore(before, mover.before)),
  );
}

/** The last of them in order of rank: those right above. */
function nearest(movers: readonly Mover[]): Overtaker[] {
  return movers
    .slice(-MOST_TOLD)
    .map(({ rank, value, playerName, identityId }) =>
      Object.assign(new Overtaker(), { rank, value, playerName, identityId }),
    );
}

/** Notifies a player when others pass. */
export class OvertakenSource extends Source {
  override readonly isOfMovers = true;
  override readonly identityIds: readonly string[];
  #last: Standing | undefined;

  constructor(
    private readonly boardId: string,
    override readonly isTest: boolean,
    private readonly identityId: string,
  ) {
    super();
    this.identityIds = [identityId];
  }

  async states(round: Round): Promise<States | undefined> {
    const { version, entryCount, of } = await round.standings(this.isTest);
    const now = of.get(this.identityId);
    const before = this.#last;
    const by = now && before ? passed(await round.movers(this.isTest), this.identityId, before, now) : [];
    this.#last = now;
    const changed = by.length > 0;
    if (!changed && !this.due) return undefined;
    const { rank = null, value = null } = now ?? {};
    const seen = { boardId: this.boardId, version, rank, value, entryCount };
    const first = Object.assign(new Overtaken(), { ...seen, previousRank: null, count: 0, by: [] });
    const told = { previousRank: before?.rank ?? null, count: by.length, by: nearest(by) };
    const root = changed ? Object.assign(new Overtaken(), { ...seen, ...told }) : first;
    return [{ item: '', version, root, first, changed }];
  }
}
