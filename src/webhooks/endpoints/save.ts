import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { requireFreshSignIn } from '../../accounts/keys/lasting-access.js';
import { accountForWrite } from '../../accounts/read.js';
import { DomainError, invalidField, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { shownAddressOf } from '../../base/outbound/shown-address.js';
import { Board } from '../../boards/board/board.js';
import { reportOpening } from '../../boards/board/report.js';
import { notePart } from '../../db/audit.js';
import type { ChangesOf } from '../../db/row.js';
import { deletionOf, insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { ofWhole, requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { changedColumns, newColumns } from '../../graphql/records/record.js';
import { wakeJob } from '../../jobs/job.js';
import type { Seal } from '../../mail/outbox.js';
import { DISPATCH_WEBHOOKS, SEND_WEBHOOKS } from '../events/job-names.js';
import {
  type CreateWebhookEndpointInput,
  endpointFields,
  type UpdateWebhookEndpointInput,
  WebhookEndpoint,
} from './endpoint.js';
import { liveEndpoints, reachableEndpoints } from './read.js';
import { newSecret } from './secret.js';

/** What the writes of endpoints depend on. */
export interface EndpointRules {
  seal: Seal;
  /** WEBHOOK_ALLOW_HTTP. */
  allowHttp: boolean;
}

const MOST_ENDPOINTS = 20;
const HOUR_MS = 3_600_000;

/** An endpoint of a configuration file may begin paused. */
export type NewEndpoint = CreateWebhookEndpointInput & Pick<UpdateWebhookEndpointInput, 'paused'>;

/** What a new endpoint has by its input alone. @throws DomainError VALIDATION_FAILED */
export function checkedEndpoint(rules: EndpointRules, input: CreateWebhookEndpointInput) {
  checkUrl(rules, input.url);
  checkOrder(input.format ?? 'json', input.ordered ?? false);
  return newColumns(endpointFields, input);
}

/**
 * Creates an endpoint. Only the returned record has the secret.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, BAD_REQUEST (too many), PASSKEY_REQUIRED
 */
export async function createEndpoint(
  context: Context,
  rules: EndpointRules,
  input: NewEndpoint,
): Promise<WebhookEndpoint> {
  requireFreshSignIn(context);
  const columns = checkedEndpoint(rules, input);
  const now = new Date(context.clock());
  const id = idOf('webhookEndpoint', uuid7(now.getTime()));
  const secret = newSecret();
  const endpoint = await auditedWrite(context, async (trx) => {
    await accountForWrite(trx, context, ofWhole(input), 'alone');
    await requireRoom(trx, input.accountId);
    await checkFilters(trx, input.accountId, input);
    const made = await insertRecord(trx, WebhookEndpoint, {
      id,
      ...columns,
      status: input.paused ? 'paused' : 'active',
      statusReason: null,
      sealedSecret: rules.seal.close(id, secret),
      previousSecret: null,
      previousSecretUntil: null,
      epoch: randomUUID(),
      watchingSince: now,
      failures: 0,
      failingSince: null,
      isSlow: false,
      openUntil: null,
      createdAt: now,
      updatedAt: now,
    });
    notePart(trx, made, 'address', null, shownAddressOf(made.url));
    await reportOpenings(trx, made, now);
    await wakeJob(trx, DISPATCH_WEBHOOKS, now, now.getTime());
    return made;
  });
  return Object.assign(endpoint, { secret });
}

/** Boards that open later were made while nobody asked for it. */
async function reportOpenings(
  trx: Knex.Transaction,
  { accountId, events }: WebhookEndpoint,
  now: Date,
): Promise<void> {
  if (!events.includes('board.opened')) return;
  const boards = await Board.query(trx)
    .where('account_id', uuidOf(accountId))
    .where('is_active', true)
    .where('starts_at', '>', now)
    .whereNull('deleted_at');
  for (const board of boards) await reportOpening(trx, board, now);
}

function checkUrl({ allowHttp }: EndpointRules, url: string): void {
  if (allowHttp || new URL(url).protocol === 'https:') return;
  throw invalidField(['url'], 'must begin with https://', 'url');
}

function checkOrder(format: string, ordered: boolean): void {
  if (ordered && format !== 'json') throw invalidField(['ordered'], 'is only possible with the format json');
}

async function requireRoom(trx: Knex.Transaction, accountId: string): Promise<void> {
  refuseFull(await liveEndpoints(trx).where('account_id', uuidOf(accountId)).resultSize());
}

/** @param count of an account's endpoints @throws DomainError BAD_REQUEST where there is no room for another */
export function refuseFull(count: number): void {
  if (count < MOST_ENDPOINTS) return;
  throw new DomainError(
    'BAD_REQUEST',
    `An account can have ${MOST_ENDPOINTS} webhook endpoints. Delete one first.`,
  );
}

/** @throws DomainError NOT_FOUND for a game or board that is not in the account */
async function checkFilters(
  trx: Knex.Transaction,
  accountId: string,
  { gameIds, boardIds }: { gameIds?: string[] | null; boardIds?: string[] | null },
): Promise<void> {
  for (const [table, kind, ids] of [
    ['games', 'Game', gameIds ?? []],
    ['boards', 'Board', boardIds ?? []],
  ] as const) {
    if (ids.length === 0) continue;
    const counts = await trx(table)
      .whereIn('id', ids.map(uuidOf))
      .where('account_id', uuidOf(accountId))
      .whereNull('deleted_at')
      .count({ n: '*' });
    if (Number(counts[0]!.n) < ids.length) throw notFound(kind);
  }
}

/**
 * Changes, pauses, resumes, deletes or restores an endpoint.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, BAD_REQUEST (too many), PASSKEY_REQUIRED (another address)
 */
export async function updateEndpoint(
  context: Context,
  rules: EndpointRules,
  id: string,
  input: UpdateWebhookEndpointInput,
): Promise<WebhookEndpoint> {
  if (input.url !== undefined) checkUrl(rules, input.url);
  const now = new Date(context.clock());
  return auditedWrite(context, async (trx) => {
    const endpoint = await lockRecord(WebhookEndpoint, reachableEndpoints(trx), id, 'Webhook endpoint');
    if (input.url !== undefined && input.url !== endpoint.url) requireFreshSignIn(context);
    const deletion = deletionOf(endpoint, input, now, 'Webhook endpoint');
    requireAccount(context, ofWhole(endpoint));
    if (deletion.deletedAt === null) {
      await accountForWrite(trx, context, ofWhole(endpoint), 'alone');
      await requireRoom(trx, endpoint.accountId);
    }
    checkOrder(input.format ?? endpoint.format, input.ordered ?? endpoint.ordered);
    await checkFilters(trx, endpoint.accountId, input);
    const address = shownAddressOf(endpoint.url);
    const watch = watchesOthers(input) ? { watchingSince: now } : {};
    const changes = changedColumns(endpointFields, input);
    const status = statusOfInput(endpoint, input);
    await saveRecord(trx, endpoint, { ...changes, ...status, ...watch, ...deletion }, now);
    notePart(trx, endpoint, 'address', address, shownAddressOf(endpoint.url));
    if (input.events?.includes('board.opened')) await reportOpenings(trx, endpoint, now);
    if (input.events !== undefined) await wakeJob(trx, DISPATCH_WEBHOOKS, now, now.getTime());
    if (input.paused === false) await wakeJob(trx, SEND_WEBHOOKS, now, now.getTime());
    return endpoint;
  });
}

function watchesOthers({ events, gameIds, boardIds, population }: UpdateWebhookEndpointInput): boolean {
  return [events, gameIds, boardIds, population].some((field) => field !== undefined);
}

function statusOfInput(
  { status }: WebhookEndpoint,
  { paused }: UpdateWebhookEndpointInput,
): ChangesOf<WebhookEndpoint> {
  if (paused === undefined) return {};
  if (paused) return status === 'active' ? { status: 'paused' } : {};
  return { status: 'active', statusReason: null, failures: 0, failingSince: null, openUntil: null };
}

/**
 * Gives an endpoint a new secret. For some hours, requests are signed with the former one, too.
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export async function rotateSecret(
  context: Context,
  { seal }: EndpointRules,
  id: string,
  overlapHours: number,
): Promise<WebhookEndpoint> {
  const now = new Date(context.clock());
  const secret = newSecret();
  const endpoint = await auditedWrite(context, async (trx) => {
    const stored = await lockRecord(WebhookEndpoint, liveEndpoints(trx), id, 'Webhook endpoint');
    requireAccount(context, ofWhole(stored));
    const overlaps = overlapHours > 0;
    const previous = {
      previousSecret: overlaps ? stored.sealedSecret : null,
      previousSecretUntil: overlaps ? new Date(now.getTime() + overlapHours * HOUR_MS) : null,
    };
    await saveRecord(trx, stored, { sealedSecret: seal.close(id, secret), ...previous }, now);
    await recordAudit(trx, context, {
      accountId: stored.accountId,
      gameId: null,
      action: AuditAction.WEBHOOK_SECRET_ROTATED,
      subjectId: id,
      before: null,
      after: { overlapHours },
    });
    return stored;
  });
  return Object.assign(endpoint, { secret });
}
