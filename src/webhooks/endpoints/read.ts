import type { Knex } from 'knex';
import { inLiveAccount } from '../../accounts/read.js';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { recordColumns } from '../../db/sort.js';
import { accountScope, adminOf, listedRows, ofWhole, requireAccount } from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { WebhookEndpoint } from './endpoint.js';

export const reachableEndpoints = (db: Knex) =>
  WebhookEndpoint.query(db).whereRaw(inLiveAccount('webhook_endpoints'));

export const liveEndpoints = (db: Knex) => reachableEndpoints(db).whereNull('webhook_endpoints.deleted_at');

const endpointById = recordsById(WebhookEndpoint, liveEndpoints);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadEndpoint(context: Context, id: string): Promise<WebhookEndpoint> {
  const endpoint = await context.loaders.of(endpointById).load(id);
  if (!endpoint) throw notFound('Webhook endpoint');
  requireAccount(context, ofWhole(endpoint));
  return endpoint;
}

export const SORTABLE_ENDPOINTS = recordColumns('webhook_endpoints', 'webhookEndpoint');

interface EndpointFilters {
  accountId?: string | null;
  isDeleted?: boolean | null;
}

/** Endpoints of the caller's account; a superadmin may name another or see all. */
export function listEndpoints(context: Context, page: SortedRequest, filters: EndpointFilters) {
  const scope = accountScope(context, filters.accountId);
  const { isDeleted } = filters;
  const rows = listedRows(context, isDeleted, liveEndpoints, reachableEndpoints, 'webhook_endpoints');
  if (scope) rows.where('webhook_endpoints.account_id', uuidOf(scope));
  if (adminOf(context).games) rows.whereRaw('false');
  const effective = { account_id: scope, deleted: isDeleted || undefined };
  const list = { type: WebhookEndpoint, sortable: SORTABLE_ENDPOINTS, rows, filters: effective };
  return readRecords(context.db, list, page);
}
