import { type ErrorCode, type ErrorDetail, statusOf } from '../../base/errors.js';
import type { RestRoute } from '../routes/rest-route.js';
import type { JsonSchema } from './json-schema.js';

const SENTENCES: Record<number, string> = {
  400: 'The request is not possible in the current state, breaks a rule, or is not valid JSON.',
  401: 'The credential is missing, unknown, expired or revoked.',
  403: 'The caller is not allowed to do this.',
  404: 'The record does not exist or was deleted.',
  409: 'Another record already uses this name, slug, code or key.',
  412: 'The nonce is missing, invalid, expired or already used.',
  413: 'The body is too large.',
  415: 'The body is not JSON or, for an upload, not a supported image type.',
  422: 'The request is invalid. `details` lists every problem.',
  429: 'Too many requests. Try again after `retry-after` seconds.',
  500: 'An error in the service.',
  503: 'The service is temporarily unavailable. Try again after `retry-after` seconds.',
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
  } else {
    codes.add('PASSKEY_REQUIRED');
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

/** The envelope of every error. */
export const errorSchema: JsonSchema = {
  type: 'object',
  description: 'The response of every failed request.',
  properties: {
    error: {
      type: 'string',
      description: 'What went wrong, for people to read.',
      examples: ['Board not found'],
    },
    code: { type: 'string', description: 'A stable code for programs.', examples: ['NOT_FOUND'] },
    request_id: {
      type: 'string',
      description: "Identifies the request in the service's logs.",
      examples: [REQUEST_ID],
    },
    details: {
      type: 'array',
      description: 'Every problem with the request and where it is.',
      items: {
        type: 'object',
        properties: {
          loc: {
            type: 'array',
            description:
              'Where the problem is: `body`, `query`, `path` or `header`, followed by the path to the value.',
            items: { type: ['string', 'integer'] },
            examples: [['body', 'tags', 3]],
          },
          msg: {
            type: 'string',
            description: 'What is wrong with the value.',
            examples: ['must be a string'],
          },
          type: {
            type: 'string',
            description: 'The kind of problem, e.g. `range`, for programs.',
            examples: ['string'],
          },
          standings: {
            type: 'object',
            description:
              'With `PLAYER_CONFLICT`: `current` and `proven`, the `rank` and `value` of both players on a board, or null.',
          },
        },
        required: ['loc', 'msg', 'type'],
      },
    },
  },
  required: ['error', 'code', 'request_id'],
};
