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
        description: 'A nonce from GET /v1/client/nonce, good for one write.',
        schema: { type: 'string' },
      },
      'idempotency-key': {
        name: 'idempotency-key',
        in: 'header',
        required: false,
        description:
          'Makes retries safe: the same key with the same body returns the first result again, whatever the ' +
          'nonce. Of scores for seven days, of tickets for as long as the attempts of their period are kept.',
        schema: { type: 'string', minLength: 1, maxLength: 128 },
      },
    },
    lastEventId: {
      name: 'last-event-id',
      in: 'header',
      required: false,
      description: 'The `id` of the last event received. Browsers send it when they reconnect.',
      schema: { type: 'string' },
    },
    answer: { [`${prefix}-request-id`]: { $ref: '#/components/headers/RequestId' } },
    replayed: { [`${prefix}-replayed`]: { $ref: '#/components/headers/Replayed' } },
    shared: {
      RequestId: {
        description: "Identifies the request in the service's logs.",
        required: true,
        schema: { type: 'string' },
      },
      Replayed: {
        description: '`true` if this repeats the first response for the idempotency key.',
        schema: { type: 'string', enum: ['true'] },
      },
    },
  };
}
