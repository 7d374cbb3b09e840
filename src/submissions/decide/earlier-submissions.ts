import type { Submission } from '../facts/submission.js';
import { type Candidate, type Decided, isStored, type SubmissionFacts } from './batch.js';
import { type BoardFacts, factsAfter } from './decide.js';

/** Submissions decided before another one by the same player in the same batch. */
export class EarlierSubmissions {
  /** The newest counting ones, by player. */
  readonly #counted = new Map<string, Decided>();
  readonly #rejected = new Set<string>();

  constructor(
    private readonly board: BoardFacts | undefined,
    private readonly at: Date,
  ) {}

  counted(one: Decided): void {
    this.#counted.set(playerOf(one.item), one);
  }

  rejected(one: Omit<Candidate, 'checkResult'>): void {
    if (isStored(one, this.at)) this.#rejected.add(playerOf(one.item));
  }

  /** The facts as the player's earlier submissions leave them; session, device, nonce and key are the submission's own. */
  apply(item: Submission, found: SubmissionFacts): SubmissionFacts {
    const before = this.#counted.get(playerOf(item));
    const isRejected = this.#rejected.has(playerOf(item));
    if (!before && !isRejected) return found;
    const known = before ? factsAfter(this.board!, before.facts, before.decision) : { ...found };
    if (isRejected) known.rejected_at = this.at.getTime();
    // Used only where all that is remembered is within the hour before the submission.
    known.accepted_in_hour ??= known.recent.size;
    const { device_status, device_deleted, session_status, session_version, session_deleted } = found;
    const { key_hash, key_answer, nonce_used, device_platform } = found;
    const own = {
      device_status,
      device_deleted,
      device_platform,
      session_status,
      session_version,
      session_deleted,
      session_started: found.session_started,
    };
    // Entries the earlier ones did not need were looked up for this one.
    const views = found.views && known.views ? new Map([...found.views, ...known.views]) : known.views;
    return { ...known, ...own, key_hash, key_answer, nonce_used, views };
  }
}

/** A player has a separate history in each population. */
function playerOf({ isTest, identityId }: Submission): string {
  return `${isTest} ${identityId}`;
}
