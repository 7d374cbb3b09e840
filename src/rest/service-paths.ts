import type { JsonSchema } from './json-schema.js';

const READINESS: JsonSchema = {
  type: 'object',
  properties: {
    service: { type: 'string' },
    status: { type: 'string', enum: ['ok', 'unavailable'], description: 'Whether work is accepted.' },
    database: { type: 'string', enum: ['ok', 'unavailable'], description: 'Whether the database answers.' },
  },
  required: ['service', 'status', 'database'],
};

const LIVENESS: JsonSchema = {
  type: 'object',
  properties: { service: { type: 'string' }, status: { type: 'string', enum: ['ok'] } },
  required: ['service', 'status'],
};

const ENTRANCE: JsonSchema = {
  type: 'object',
  properties: {
    service: { type: 'string' },
    version: { type: 'string' },
    links: { type: 'object', additionalProperties: { type: 'string' }, description: 'Entrances by name.' },
  },
  required: ['service', 'version', 'links'],
};

/** Paths that are no operations: the service about itself. */
export function servicePaths(headers: JsonSchema): Record<string, JsonSchema> {
  const path = (operationId: string, summary: string, schema: JsonSchema, unready?: JsonSchema) => ({
    get: {
      operationId,
      tags: ['Service'],
      summary,
      security: [],
      responses: {
        200: { description: 'Done.', headers, content: { 'application/json': { schema } } },
        ...(unready && {
          503: { description: 'Not ready.', headers, content: { 'application/json': { schema: unready } } },
        }),
      },
    },
  });
  return {
    '/v1': path('entrance', 'What is served here.', ENTRANCE),
    '/v1/health': path('health', 'Whether the service accepts work.', READINESS, READINESS),
    '/health/live': path('live', 'Whether the process is sound.', LIVENESS),
    '/health/ready': path('ready', 'Whether the service accepts work.', READINESS, READINESS),
    '/openapi.json': path('openapi', 'This document.', { type: 'object' }),
  };
}
