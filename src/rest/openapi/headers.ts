import type { RequestHeader } from '../routes/route.js';
import type { JsonSchema } from './json-schema.js';

/** The service's own headers as the document describes them. */
export interface ServiceHeaders {
  request: Record<RequestHeader, JsonSchema>;
  /** Of streams. */
  lastEventId: JsonSchema;
  /** Of every response. */
  answer: JsonSchema;
  /** Of responses to operations with an idempotency key, besides those of every response. */
  replayed: JsonSchema;
  /** `components.headers`, which the others reference. */
  shared: Record<string, JsonSchema>;
}

/** @param prefix the setting HEADER_PREFIX */
export function serviceHeaders(prefix: string): ServiceHeaders {
  return {
    request: {
      nonce: {
        name: `${prefix}-client-nonce`,
        in: 'header',
        required: true,
        description: 'A fresh nonce of GET /v1/client/nonce; good for one write.',
        schema: { type: 'string' },
      },
      'idempotency-key': {
        name: 'idempotency-key',
        in: 'header',
        required: false,
        description:
          'Makes a retry safe: for seven days the same key with the same body answers the first result again, whatever nonce it carries.',
        schema: { type: 'string', minLength: 1, maxLength: 128 },
      },
    },
    lastEventId: {
      name: 'last-event-id',
      in: 'header',
      required: false,
      description: 'The `id` of the last event that was received; browsers send it when they reconnect.',
      schema: { type: 'string' },
    },
    answer: { [`${prefix}-request-id`]: { $ref: '#/components/headers/RequestId' } },
    replayed: { [`${prefix}-replayed`]: { $ref: '#/components/headers/Replayed' } },
    shared: {
      RequestId: {
        description: 'Names the request in the logs of the service.',
        required: true,
        schema: { type: 'string' },
      },
      Replayed: {
        description: '`true` when this is the first answer to the idempotency key again.',
        schema: { type: 'string', enum: ['true'] },
      },
    },
  };
}
