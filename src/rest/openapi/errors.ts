import { type ErrorCode, type ErrorDetail, statusOf } from '../../base/errors.js';
import type { RestRoute } from '../routes/rest-route.js';
import type { JsonSchema } from './json-schema.js';

const SENTENCES: Record<number, string> = {
  400: 'Refused by a rule or by the state of a record, or not JSON at all.',
  401: 'The credential is missing, unknown, expired or revoked.',
  403: 'The caller may not do this.',
  404: 'No such record, or it is deleted.',
  409: 'Another record already has this name, slug, code or key.',
  412: 'The nonce is missing, not valid, expired or used.',
  413: 'The body is too large.',
  415: 'The body is not JSON; of an upload, no picture of a known type.',
  422: 'Invalid request; `details` name every fault.',
  429: 'Too many requests of this caller; try again after `retry-after` seconds.',
  500: 'A fault of the service.',
  503: 'The service cannot answer right now; try again after `retry-after` seconds.',
};

const REQUEST_ID = '5f0c2f0e-8b0a-4c53-9a55-0c8f3f0f3a11';

/** One example fault per status. */
const EXAMPLES: Record<number, { code: ErrorCode; error: string; details?: ErrorDetail[] }> = {
  400: { code: 'INVALID_CURSOR', error: 'Invalid cursor. Start again without one.' },
  401: {
    code: 'INVALID_API_KEY',
    error: 'Invalid API key: it is unknown, revoked or expired. Check the key, or create a new one.',
  },
  403: { code: 'FORBIDDEN', error: 'This belongs to another account.' },
  404: { code: 'NOT_FOUND', error: 'Board not found' },
  409: { code: 'CONFLICT', error: 'Another game of this account already uses this name.' },
  412: { code: 'NONCE_EXPIRED', error: 'This nonce has expired. Get a new one.' },
  413: { code: 'BODY_TOO_LARGE', error: 'The request body is too large. The limit is 65536 bytes.' },
  415: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    error: 'The body must be JSON. Send content-type: application/json.',
  },
  422: {
    code: 'VALIDATION_FAILED',
    error: 'Invalid request: value must be a finite number',
    details: [{ loc: ['body', 'value'], msg: 'must be a finite number', type: 'number' }],
  },
  429: {
    code: 'RATE_LIMITED',
    error:
      'A device can have at most 20 live subscriptions at a time. End one that is no longer needed, then try again.',
  },
  500: {
    code: 'INTERNAL',
    error: 'Something went wrong on our side. If it happens again, report the request id.',
  },
  503: { code: 'UNAVAILABLE', error: 'The service is temporarily unavailable. Try again in a moment.' },
};

/** Any route's, of a gateway of several cells. */
const OF_GATEWAYS: ErrorCode = 'SEVERAL_ACCOUNTS';

/** Returns every error status of a route, by its callers and its inputs. */
export function errorStatuses(api: RestRoute): number[] {
  return statusesOf([...ownErrors(api), OF_GATEWAYS]);
}

/** The same of a service without gateways. */
export function ownErrorStatuses(api: RestRoute): number[] {
  return statusesOf([...ownErrors(api)]);
}

function statusesOf(codes: ErrorCode[]): number[] {
  return [...new Set(codes.map((code) => statusOf[code]))].sort((a, b) => a - b);
}

function ownErrors({ route, inputs, paged }: RestRoute): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(['RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE', ...(route.also ?? [])]);
  if (route.who !== 'anyone') {
    codes.add('INVALID_TOKEN');
    codes.add('FORBIDDEN');
  }
  if (inputs.length > 0) codes.add('VALIDATION_FAILED');
  if (inputs.length > 0) codes.add('NOT_FOUND');
  if (paged) codes.add('INVALID_CURSOR');
  if (route.method !== 'GET') {
    for (const code of ['BAD_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'CONFLICT'] as const) {
      codes.add(code);
    }
  }
  if (route.headers?.includes('nonce')) codes.add('NONCE_REQUIRED');
  return codes;
}

/** `components.responses`: one for each status, named `Error404`. */
export function errorResponses(headers: Record<string, unknown>): Record<string, JsonSchema> {
  const responses: Record<string, JsonSchema> = {};
  for (const [status, description] of Object.entries(SENTENCES)) {
    const codes = Object.entries(statusOf).filter(([, value]) => String(value) === status);
    responses[`Error${status}`] = {
      description,
      headers: {
        ...headers,
        ...(['429', '503'].includes(status) && {
          'retry-after': {
            description: 'Seconds to wait.',
            required: true,
            schema: { type: 'integer' },
          },
        }),
      },
      content: {
        'application/json': {
          ...(EXAMPLES[Number(status)] && {
            example: { ...EXAMPLES[Number(status)], request_id: REQUEST_ID },
          }),
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Error' },
              {
                type: 'object',
                properties: { code: { enum: codes.map(([code]) => code) } },
                ...(status === '422' && { required: ['details'] }),
              },
            ],
          },
        },
      },
    };
  }
  return responses;
}

/** The envelope of every error (decisions.md section 2). */
export const errorSchema: JsonSchema = {
  type: 'object',
  description: 'The answer of every request that failed.',
  properties: {
    error: { type: 'string', description: 'The fault, as a sentence.', examples: ['Board not found'] },
    code: { type: 'string', description: 'A stable name of the fault.', examples: ['NOT_FOUND'] },
    request_id: {
      type: 'string',
      description: 'Names the request in the logs of the service.',
      examples: [REQUEST_ID],
    },
    details: {
      type: 'array',
      description: 'Every fault of the request, with its place.',
      items: {
        type: 'object',
        properties: {
          loc: {
            type: 'array',
            description: 'The place: `body`, `query`, `path` or `header`, then the path to the value.',
            items: { type: ['string', 'integer'] },
            examples: [['body', 'tags', 3]],
          },
          msg: { type: 'string', description: 'Its fault.', examples: ['must be a string'] },
          type: { type: 'string', description: 'The kind of fault.', examples: ['string'] },
        },
        required: ['loc', 'msg', 'type'],
      },
    },
  },
  required: ['error', 'code', 'request_id'],
};
