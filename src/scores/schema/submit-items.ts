import {
  type DomainError,
  type ErrorDetail,
  invalid,
  invalidField,
  present,
  withDetails,
} from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Context } from '../../graphql/context.js';
import { faultsOfInput } from '../../graphql/input-checks.js';
import { Rejection } from '../../submissions/decide/outcome.js';
import type { Outcome } from '../../submissions/facts/submission.js';

export type Submitted = PromiseSettledResult<Outcome>;

/**
 * Submits the items of a batch in order, each as a separate request: a fault in one never affects another. The
 * request itself was counted as its first item.
 * @param check checks of an item that need the database; all items are checked before the first is submitted, so
 * that none is overtaken by a later one
 * @param submit takes a valid item; called for all items within one turn of the event loop, so that their writes
 * share a transaction
 * @param inTurn true to await each result before the next item is submitted
 * @throws DomainError VALIDATION_FAILED for an idempotency key in the request's headers, which no item would have
 */
export async function submitBatch<I extends object, C>(
  context: Context,
  items: (I | null)[],
  check: (item: I) => Promise<C>,
  submit: (item: I, checked: C) => Promise<Outcome>,
  inTurn: boolean,
): Promise<Submitted[]> {
  if (context.idempotencyKey !== undefined) throw invalidField(KEY_HEADER, MISPLACED, 'misplaced');
  const counts = await Promise.allSettled(items.slice(1).map(() => context.countItem?.()));
  const checkItem = async (item: I | null, index: number) => {
    const count = counts[index - 1];
    if (count?.status === 'rejected') throw count.reason;
    if (item === null) throw invalid([{ loc: [], msg: 'must not be null', type: 'null' }]);
    const faults = faultsOfInput(item);
    if (faults.length > 0) throw invalid(faults);
    return { item, checked: await check(item) };
  };
  const valid = await Promise.allSettled(items.map(checkItem));
  const submitItem = async (one: (typeof valid)[number]): Promise<Outcome> => {
    if (one.status === 'rejected') throw one.reason;
    return submit(one.value.item, one.value.checked);
  };
  if (!inTurn) return Promise.allSettled(valid.map(submitItem));
  const submitted: Submitted[] = [];
  for (const one of valid) submitted.push(...(await Promise.allSettled([submitItem(one)])));
  return submitted;
}

const KEY_HEADER = ['header', 'idempotency-key'];
const MISPLACED = 'is for one score; in a batch each item has its own idempotency_key';

/** The error of one item, in the form REST's envelope and GraphQL's `errors` use for requests. */
interface ItemFault {
  error: DomainError;
  /** Adds the item's position in the request. */
  details: ErrorDetail[] | null;
  /** True if the rejection is a replay of the first response to the idempotency key. */
  replayed: boolean;
}

/** Returns an item's error as its caller may see it, and logs a bug. */
export function faultOfItem(log: Log, { requestId }: Context, reason: unknown, index: number): ItemFault {
  const shown = present(reason);
  if (shown.code === 'INTERNAL') log.error({ err: reason, requestId, index }, 'an item of a batch failed');
  const details = shown.details?.map((detail) => ({ ...detail, loc: ['items', index, ...detail.loc] }));
  const error = details ? withDetails(shown, details) : shown;
  return { error, details: details ?? null, replayed: reason instanceof Rejection && reason.replayed };
}
