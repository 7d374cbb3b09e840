/** Types of webhook events, for receivers. */
export type { WebhookEvent, WebhookEventType } from './generated/webhooks.js';
