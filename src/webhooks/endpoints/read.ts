import { wholeAccountReads } from '../../accounts/whole-account.js';
import { WebhookEndpoint } from './endpoint.js';

export const {
  sortable: SORTABLE_ENDPOINTS,
  reachable: reachableEndpoints,
  live: liveEndpoints,
  load: loadEndpoint,
  list: listEndpoints,
} = wholeAccountReads(WebhookEndpoint, 'webhookEndpoint', 'Webhook endpoint');
