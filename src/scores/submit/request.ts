import type { Clock } from '../../base/clock.js';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Database } from '../../db/pool.js';
import { clientOf } from '../../graphql/access.js';
import type { ClientCaller, Context } from '../../graphql/context.js';
import type { FiringHooks } from '../../hooks/firing.js';
import type { NewScore, Score as ScoreRecord } from '../../hooks/hooks.js';
import type { Result } from './claims.js';
import { type FactsRead, readFacts } from './facts.js';
import { IDEMPOTENCY_MILLIS, replay } from './ingest.js';
import type { Batcher } from './pipeline/queue.js';
import { refuse } from './refuse.js';
import type { Outcome, Submission } from './submission.js';

export interface Asking {
  batcher: Batcher;
  hooks: FiringHooks;
  db: Database;
  clock: Clock;
}

/**
 * A game client's submission with the hooks around it. The pre-hook is asked only when the submission would be written as things
 * stand, and while nothing is locked; the batch looks at everything again.
 * @throws DomainError as the batcher does, or what the hook refuses it with
 */
export async function askedSubmit(asking: Asking, context: Context, item: Submission): Promise<Outcome> {
  const { batcher, hooks } = asking;
  if (!hooks.has('preCreateScore')) {
    const outcome = await batcher.submit(item);
    await tell(asking, context, outcome);
    return outcome;
  }
  const early = await foresee(asking, item);
  if (early instanceof DomainError) throw early;
  if (early) return early;
  const input = inputOf(clientOf(context), item);
  const written = (outcome: Outcome) => !outcome.replayed;
  const outcome = await hooks.guard('preCreateScore', context, input, () => batcher.submit(item), written);
  await tell(asking, context, outcome);
  return outcome;
}

/** What answers the submission before anything of it is written; undefined: as things stand, it would be written. */
async function foresee({ db, clock }: Asking, item: Submission): Promise<Result | undefined> {
  const now = clock();
  const forgotten = new Date(now - IDEMPOTENCY_MILLIS);
  const asked = { boardId: uuidOf(item.boardId), items: [item] };
  const [{ board, facts }] = (await readFacts(db.pool, [asked], forgotten)) as [FactsRead];
  const known = facts[0]!;
  return replay(item, known) ?? refuse(board, known, item, now);
}

function inputOf({ accountId, gameId, deviceId }: ClientCaller, item: Submission): NewScore {
  const { boardId, identityId, amount: value, valueDisplay, metadata, isTest } = item;
  const playerName = item.playerName!;
  return {
    ...{ accountId, gameId, boardId, identityId, deviceId },
    ...{ playerName, value, valueDisplay, metadata, isTest },
  };
}

/** A replay has made nothing. */
async function tell({ hooks }: Asking, context: Context, outcome: Outcome): Promise<void> {
  if (outcome.replayed || !hooks.has('postCreateScore')) return;
  const { score, eventId, kept } = outcome;
  const { id, accountId, gameId, boardId, identityId, playerName, value, valueDisplay, metadata } = score;
  const { isTest, rank, createdAt, updatedAt } = score;
  const record: ScoreRecord = {
    ...{ id, accountId, gameId, boardId, identityId, playerName, value, valueDisplay, metadata },
    ...{ isTest, rank, createdAt, updatedAt, eventId, kept },
  };
  await hooks.after('postCreateScore', context, record);
}
