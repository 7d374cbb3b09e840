import { packageContact, packageVersion } from '../../base/package.js';
import { exportPaths } from '../exports/openapi.js';
import { picturePaths } from '../pictures/openapi.js';
import { recordingPaths } from '../recordings/openapi.js';
import type { RestRoute } from '../routes/rest-route.js';
import type { Route } from '../routes/route.js';
import { routeGroups } from '../routes/routes.js';
import { errorResponses, errorSchema } from './errors.js';
import { serviceHeaders } from './headers.js';
import type { JsonSchema } from './json-schema.js';
import { describedOperation } from './operation.js';
import { Components } from './schema.js';

const ABOUT = `Leaderboards for games. Accounts own games, games own boards, and boards rank the scores that players submit.

Administrators authenticate with an API key, game clients with the access token of a device session. Times are ISO 8601 in UTC. \
In a PATCH, absent fields stay unchanged and null clears a field. Unknown fields in a body are ignored, and an empty query \
parameter counts as absent. Every response has a request id.

The same model is available as GraphQL at /graphql, including live subscriptions. Try it in /explorer.`;

/** Returns a unique id: an operation of two routes has the suffix `ForClient` at the clients' route. */
function operationId({ operation, path }: Route, taken: Set<string>): string {
  const id = operation[0]!.toLowerCase() + operation.slice(1);
  const free = taken.has(id) && path.startsWith('/v1/client/') ? `${id}ForClient` : id;
  if (taken.has(free)) throw new Error(`Two routes have the operation id ${free}`);
  taken.add(free);
  return free;
}

/** The purpose of each section of the reference. */
const SECTIONS: Record<string, string> = {
  Accounts: 'An account is a studio or organisation. It owns users, API keys, games and boards.',
  Users: 'The people who administer an account.',
  'API keys': 'Credentials of users, for servers, scripts and tools.',
  'Single sign-on': 'OpenID Connect of accounts: issuer, domains, roles of groups.',
  Webhooks: 'Endpoints that are told of events, and the log of deliveries to them.',
  Caller: 'The account, user and key that a request comes from.',
  Games: 'Games of an account, with their settings and the pictures of their public pages.',
  Boards: 'Leaderboards of a game: rules, views, periods, groups, live updates, exports.',
  'Board templates': 'Create a board for each interval, such as a weekly cup.',
  'Player providers':
    'Providers such as Steam, Apple or your own login, which prove who the players of a game are.',
  'Game clients': 'Sign-in of a game: start a session, refresh its tokens, get nonces.',
  Scores: 'Rankings: submit scores, and read them from the top, from any rank, or around a player.',
  'Score events': 'Every accepted submission. Game servers submit here too.',
  Imports: 'Import scores from a file or another service into a board.',
  'Board states': 'The sum or best of each player’s counting submissions to a board.',
  'Score flags': 'Submissions flagged by a check or a moderator, and their reviews.',
  'Score submission metadata':
    'Counts and times of each player’s submissions to a board, rejected ones included.',
  Alerts: 'What is unusual about a board or a game: a median that jumped, a burst of new players.',
  Devices: 'Devices that games run on: find, suspend and ban them.',
  'Device sessions': 'Sessions of devices: find and revoke them.',
  Identities: 'Players: rename them, set their trust tier, export and erase their personal data.',
  Friends: 'Lists of friends, for rankings among them.',
  'Tags of players': 'Guild, class and other tags that put a player into groups.',
  'Merges of players': 'Make all runs of a player count for another one, and undo that.',
  'Identity reviews': 'Review all runs of a player or a device at once, and undo the review.',
  Configuration: 'Games, boards, templates and webhooks of an account as one file.',
  'Audit entries': 'A log of reviews, renames, access and deletions: who did what, and when.',
  Registration: 'Register an account, accept an invitation or sign in to the console by email.',
  'Jam codes': 'Promotional codes that are redeemed at registration.',
  Service: 'The state of the service itself.',
};

/** The names of the sections, in the document's order. */
export const sectionNames = [...routeGroups.map(({ name }) => name), 'Service'];

function tagsOf(): JsonSchema[] {
  return sectionNames.map((name) => {
    const description = SECTIONS[name];
    if (description === undefined) throw new Error(`The section ${name} has no description`);
    return { name, description };
  });
}

/**
 * The OpenAPI 3.1 document of the routes, derived from table, operations and schema with their descriptions.
 * @param headerPrefix the setting HEADER_PREFIX
 */
export function openApi(routes: RestRoute[], headerPrefix: string): JsonSchema {
  const components = new Components();
  const headers = serviceHeaders(headerPrefix);
  const taken = new Set<string>();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  components.shared('Error', () => errorSchema);
  for (const rest of routes) {
    const { route } = rest;
    const group = routeGroups.find((candidate) => candidate.routes.includes(route))!;
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = {
      operationId: operationId(route, taken),
      tags: [group.name],
      ...describedOperation(components, headers, rest),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Leaderboard service',
      version: packageVersion,
      description: ABOUT,
      contact: packageContact() ?? { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(),
    paths: {
      ...paths,
      ...picturePaths(headers.answer),
      ...recordingPaths(headers.answer, `${headerPrefix}-client-nonce`),
      ...exportPaths(headers.answer),
      ...servicePaths(headers.answer),
    },
    components: {
      schemas: components.schemas,
      responses: errorResponses(headers.answer),
      headers: headers.shared,
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: `${headerPrefix}-api-key`,
          description: 'The API key of a user.',
        },
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: "The access token of a device's session, from POST /v1/client/sessions.",
        },
      },
    },
  };
}

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

const READY = object({
  service: SERVICE,
  status: state(
    '`ok` if the service accepts requests; `degraded` if some cells of a gateway do not.',
    'ok',
    'degraded',
    'unavailable',
  ),
  database: state('`ok` if the database is reachable.', 'ok', 'unavailable'),
});
const READINESS = {
  ...READY,
  properties: {
    ...(READY.properties as Record<string, JsonSchema>),
    reason: text(
      'The database was migrated by a later release that this one cannot work with (it lacks 060_equal_ratios.sql).',
      'Set where a later release has migrated the database beyond what this process can work with.',
    ),
    cells: {
      type: 'object',
      additionalProperties: state('`ok` if its database is reachable.', 'ok', 'unavailable'),
      description: 'On a gateway: each cell by name.',
      examples: [{ c1: 'ok', c2: 'unavailable' }],
    },
  },
};

const LIVENESS = object({ service: SERVICE, status: state('The process is healthy.', 'ok') });

const ENTRANCE = object({
  service: SERVICE,
  version: text('1.0.0', 'Version of this program.'),
  links: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Entry points by name.',
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
function servicePaths(headers: JsonSchema): Record<string, JsonSchema> {
  const path = (operationId: string, summary: string, content: JsonSchema, more: JsonSchema = {}) => ({
    get: {
      operationId,
      tags: ['Service'],
      summary,
      description: 'No credential required.',
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
    '/v1': path('entrance', 'Links to all parts of the service.', json(ENTRANCE)),
    '/v1/health': path('health', 'Readiness: 200 if the service accepts requests.', readiness, unready),
    '/health/live': path('live', 'Liveness: 200 if the process runs.', json(LIVENESS)),
    '/health/ready': path('ready', 'Readiness: 200 if the service accepts requests.', readiness, unready),
    '/openapi.json': path('openapi', 'This document.', json({ type: 'object' })),
    '/schema.graphql': path('graphqlSchema', 'The GraphQL schema, in its own language.', {
      'text/plain': { schema: { type: 'string' } },
    }),
    '/metrics': path(
      'metrics',
      'Metrics for Prometheus.',
      { 'text/plain': { schema: { type: 'string' } } },
      // When METRICS_PORT is set.
      { 404: { $ref: '#/components/responses/Error404' } },
    ),
  };
}
