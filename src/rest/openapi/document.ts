import type { RestRoute } from '../routes/rest-route.js';
import type { Route } from '../routes/route.js';
import { routeGroups } from '../routes/routes.js';
import { errorEnvelope, errorResponses } from './errors.js';
import { serviceHeaders } from './headers.js';
import type { JsonSchema } from './json-schema.js';
import { describedOperation, recordOf } from './operation.js';
import { Components, restWords } from './schema.js';
import { servicePaths } from './service-paths.js';

const ABOUT = `Leaderboards for games: accounts own games, games own boards, boards rank what players submit.

Administrators send an API key, game clients the access token of a device's session. Times are ISO 8601 in UTC. In a PATCH, what is absent stays and null clears. Unknown members of a body are ignored, and an empty query parameter counts as absent. Every answer carries a request id.

The same model is served as GraphQL at /graphql, with boards to be watched live; /explorer tries it.`;

/** Returns a unique id: an operation of two routes has the suffix `ForClient` at the clients' route. */
function operationId({ operation, path }: Route, taken: Set<string>): string {
  const id = operation[0]!.toLowerCase() + operation.slice(1);
  const free = taken.has(id) && path.startsWith('/v1/client/') ? `${id}ForClient` : id;
  if (taken.has(free)) throw new Error(`Two routes would have the operation id ${free}`);
  taken.add(free);
  return free;
}

function tagsOf(routes: RestRoute[]): JsonSchema[] {
  const groups = routeGroups.map(({ name, routes: rows }) => {
    const first = routes.find(({ route }) => rows.includes(route))!;
    return { name, description: restWords(recordOf(first).description) };
  });
  return [...groups, { name: 'Service', description: 'The state of the service itself.' }];
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
  components.shared('Error', () => errorEnvelope);
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
      version: '1',
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(routes),
    paths: { ...paths, ...servicePaths(headers.answer) },
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
