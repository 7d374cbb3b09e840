import type { LiveState } from '../../graph/live/watched.js';
import { NextAbove, RankChange } from './changes.js';
import { type Round, Source } from './source.js';
import type { Standing, Standings } from './standings.js';

function differs(a: Standing | undefined, b: Standing | undefined): boolean {
  if (!a || !b) return a !== b;
  return (
    a.rank !== b.rank ||
    a.value !== b.value ||
    a.valueDisplay !== b.valueDisplay ||
    a.playerName !== b.playerName ||
    a.above?.value !== b.above?.value ||
    a.above?.identityId !== b.above?.identityId ||
    a.above?.playerName !== b.above?.playerName
  );
}

function nextAbove({ above, rank, value }: Standing): NextAbove | null {
  if (!above) return null;
  const difference = Math.abs(above.value - value);
  return Object.assign(new NextAbove(), { ...above, rank: rank - 1, difference });
}

function changeOf(
  boardId: string,
  { version, entryCount }: Standings,
  identityId: string,
  now: Standing | undefined,
  previousRank: number | null,
): RankChange {
  const { rank = null, value = null, valueDisplay = null, playerName = null } = now ?? {};
  const seen = { rank, previousRank, value, valueDisplay, playerName, entryCount };
  const above = now ? nextAbove(now) : null;
  return Object.assign(new RankChange(), { boardId, version, identityId, ...seen, nextAbove: above });
}

/** Where some players stand: a new state for each whose rank, value or next one above differs. */
export class RankSource extends Source {
  readonly #last = new Map<string, Standing | undefined>();

  constructor(
    private readonly boardId: string,
    override readonly isTest: boolean,
    override readonly identityIds: readonly string[],
  ) {
    super();
  }

  async states(round: Round): Promise<(() => LiveState[]) | undefined> {
    const standings = round.standings(this.isTest);
    const states: LiveState[] = [];
    for (const identityId of this.identityIds) {
      const now = standings.of.get(identityId);
      const before = this.#last.get(identityId);
      const changed = !this.#last.has(identityId) || differs(before, now);
      if (!changed && !this.due) continue;
      this.#last.set(identityId, now);
      const { version } = standings;
      const first = changeOf(this.boardId, standings, identityId, now, null);
      const root = before ? changeOf(this.boardId, standings, identityId, now, before.rank) : first;
      states.push({ item: identityId, version, root, first, changed });
    }
    return states.length > 0 ? () => states : undefined;
  }
}
