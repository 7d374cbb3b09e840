import { performance } from 'node:perf_hooks';
import { DomainError, invalid } from '../base/errors.js';
import type { Context } from '../graphql/context.js';
import type { Kind, Values } from './fields.js';
import { isValues } from './file.js';
import { type Plan, type PlannedChange, type PlanRequest, planConfiguration } from './plan.js';
import type { PlanRules } from './wanted.js';

/** The ordinary writes of a kind of record. */
interface RecordWrites {
  create(context: Context, input: never): Promise<{ id: string }>;
  update(context: Context, id: string, input: never): Promise<object>;
}

export interface ApplyRules extends PlanRules {
  writes: Record<Kind, RecordWrites>;
}

interface ApplyRequest extends PlanRequest {
  digest: string;
}

interface Applied {
  /** Ids of the records of the changes that were made, in the plan's order. */
  ids: string[];
  /** Changes that are left. */
  left: number;
  /** Of the state that the next call finds, if nobody else changes it. */
  digest: string;
}

/** A call makes no further change after this many, or after this long. */
const MOST_CHANGES = 50;
const LONGEST_MS = 3_000;

const OTHER_STATE = 'The configuration of the account was changed after the plan. Plan again.';

/**
 * Makes the first changes of a plan, each in a transaction of its own. A call whose first change is refused fails; a later one is left
 * to the next call, so that one which fails has changed nothing.
 * @throws DomainError CONFLICT when the state is not that of the digest; the refusals of the file and of the first change
 */
export async function applyConfiguration(
  context: Context,
  rules: ApplyRules,
  request: ApplyRequest,
): Promise<Applied> {
  const plan = await planConfiguration(context, rules, request);
  if (plan.digest !== request.digest) throw new DomainError('CONFLICT', OTHER_STATE);
  refuse(plan);
  const until = performance.now() + LONGEST_MS;
  const made = new Map<string, string>();
  const ids: string[] = [];
  for (const change of plan.changes.slice(0, MOST_CHANGES)) {
    if (performance.now() > until) break;
    try {
      ids.push(await write(context, rules, request.accountId, change, made));
    } catch (error) {
      if (ids.length === 0) throw error;
      break;
    }
  }
  const left = plan.changes.slice(ids.length);
  if (left.length === 0) return { ids, left: 0, digest: plan.digest };
  context.loaders.clear();
  const next = await planConfiguration(context, rules, request);
  // Another's change in the meantime: the digest of before makes the next call fail.
  const isTail = next.refusals.length === 0 && next.changes.map(textOf).join() === left.map(textOf).join();
  return { ids, left: left.length, digest: isTail ? next.digest : plan.digest };
}

/** What a change does, as the plan shows it. */
const textOf = ({ action, kind, name, before, after }: PlannedChange) =>
  JSON.stringify([action, kind, name, before, after]);

function refuse({ refusals }: Plan): void {
  const [first] = refusals;
  if (!first) return;
  const details = refusals.map(({ path, message, code }) => ({
    loc: ['file', ...path],
    msg: message,
    type: code,
  }));
  throw first.code === 'VALIDATION_FAILED'
    ? invalid(details)
    : new DomainError(first.code, first.message, details);
}

/** @returns the record's id */
async function write(
  context: Context,
  { writes }: ApplyRules,
  accountId: string,
  { action, kind, recordId, input }: PlannedChange,
  made: Map<string, string>,
): Promise<string> {
  const { create, update } = writes[kind];
  const given = withIds(input, made) as Values;
  if (action !== 'create') {
    const id = made.get(recordId) ?? recordId;
    await update(context, id, given as never);
    return id;
  }
  const { id } = await create(context, { ...given, accountId } as never);
  made.set(recordId, id);
  return id;
}

/** With the ids of records that were created for those that stood for them. */
function withIds(value: unknown, made: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return made.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => withIds(item, made));
  if (!isValues(value) || value instanceof Date) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withIds(member, made)]);
  return Object.assign(Object.create(Object.getPrototypeOf(value)), Object.fromEntries(members));
}
