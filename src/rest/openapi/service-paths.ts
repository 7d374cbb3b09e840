import type { JsonSchema } from './json-schema.js';

const text = (example: string, description: string): JsonSchema => ({
  type: 'string',
  description,
  examples: [example],
});

const SERVICE = text('leaderboard-service', 'The name of this program.');

function state(description: string, ...words: string[]): JsonSchema {
  return { type: 'string', enum: words, description, examples: [words[0]] };
}

function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

const READINESS = object({
  service: SERVICE,
  status: state('Whether work is accepted.', 'ok', 'unavailable'),
  database: state('Whether the database answers.', 'ok', 'unavailable'),
});

const LIVENESS = object({ service: SERVICE, status: state('The process is sound.', 'ok') });

const ENTRANCE = object({
  service: SERVICE,
  version: text('1.0.0', 'Of this program.'),
  links: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Entrances by name.',
    examples: [{ graphql: '/graphql' }],
  },
});

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });

/** Errors of any GET: invalid HTTP (400: no Host, an invalid address), an internal error, the service's shutdown. */
const REFUSED = Object.fromEntries(
  [400, 500, 503].map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
);

const ERROR = { $ref: '#/components/schemas/Error' };

/** Paths about the service itself, outside of the operations. */
export function servicePaths(headers: JsonSchema): Record<string, JsonSchema> {
  const path = (operationId: string, summary: string, content: JsonSchema, more: JsonSchema = {}) => ({
    get: {
      operationId,
      tags: ['Service'],
      summary,
      description: 'Needs no credential.',
      security: [],
      responses: {
        200: { description: 'Done.', headers, content },
        ...REFUSED,
        ...more,
      },
    },
  });
  const readiness = json(READINESS);
  const unready = {
    503: { description: 'Not ready.', headers, content: json({ anyOf: [READINESS, ERROR] }) },
  };
  return {
    '/v1': path('entrance', 'What is served here.', json(ENTRANCE)),
    '/v1/health': path('health', 'Whether the service accepts work.', readiness, unready),
    '/health/live': path('live', 'Whether the process is sound.', json(LIVENESS)),
    '/health/ready': path('ready', 'Whether the service accepts work.', readiness, unready),
    '/openapi.json': path('openapi', 'This document.', json({ type: 'object' })),
    '/metrics': path(
      'metrics',
      'Figures for Prometheus.',
      { 'text/plain': { schema: { type: 'string' } } },
      // When METRICS_PORT is set.
      { 404: { $ref: '#/components/responses/Error404' } },
    ),
  };
}
