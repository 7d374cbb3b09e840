import {
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  Kind,
} from 'graphql';
import { errorEnvelope, errorResponses, errorStatuses } from './error-answers.js';
import { type Input, isRequired } from './inputs.js';
import { Components, type JsonSchema, restWords } from './json-schema.js';
import type { RestRoute } from './rest-route.js';
import { type Route, routeGroups } from './routes.js';
import { servicePaths } from './service-paths.js';

const ABOUT = `Leaderboards for games: accounts own games, games own boards, boards rank what players submit.

Administrators send an API key, game clients the access token of a device's session. Times are ISO 8601 in UTC. In a PATCH, what is absent stays and null clears. Unknown members of a body are ignored. Every answer carries a request id.`;

const PAGINATION: JsonSchema = {
  type: 'object',
  description: 'Where a page lies in its list.',
  properties: {
    count: { type: 'integer', description: 'Records on this page.' },
    has_next: { type: 'boolean', description: 'Whether records follow this page.' },
    has_prev: { type: 'boolean', description: 'Whether records stand before this page.' },
    next_cursor: { type: ['string', 'null'], description: 'The `cursor` of the next page.' },
    prev_cursor: { type: ['string', 'null'], description: 'The `cursor` of the page before.' },
  },
  required: ['count', 'has_next', 'has_prev', 'next_cursor', 'prev_cursor'],
};

function fragmentsOf({ document }: RestRoute): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/** The record a route speaks of: of a list, that of its nodes. */
function recordOf({ type, paged }: RestRoute): GraphQLObjectType {
  const nodes = paged && getNamedType(type.getFields().nodes!.type);
  return isObjectType(nodes) ? nodes : type;
}

function bodySchema(components: Components, rest: RestRoute): JsonSchema {
  const fragments = fragmentsOf(rest);
  if (!rest.paged) return components.ofSelection(rest.type, rest.selection.selectionSet!, fragments);
  const nodes = rest.selection.selectionSet!.selections.find(
    (node) => node.kind === Kind.FIELD && node.name.value === 'nodes',
  );
  if (nodes?.kind !== Kind.FIELD) throw new Error(`${rest.route.operation} selects no nodes`);
  const item = components.ofSelection(recordOf(rest), nodes.selectionSet!, fragments);
  return {
    type: 'object',
    properties: {
      data: { type: 'array', items: item, description: 'The records of the page.' },
      pagination: components.shared('Pagination', () => PAGINATION),
    },
    required: ['data', 'pagination'],
  };
}

function parameter(components: Components, input: Input): JsonSchema {
  const limits = input.name === 'limit' ? { minimum: 1, maximum: 100 } : {};
  const initial = input.defaultValue === undefined ? {} : { default: input.defaultValue };
  return {
    name: input.name,
    in: input.where,
    required: input.where === 'path' || isRequired(input),
    description: restWords(input.description),
    schema: { ...components.ofQuery(input.type), ...limits, ...initial },
  };
}

function requestBody(components: Components, { route, inputs }: RestRoute): JsonSchema | undefined {
  const members = inputs.filter(({ where }) => where === 'body');
  if (members.length === 0) return undefined;
  const schema = {
    type: 'object',
    ...components.members(
      members.map((input) => ({
        name: input.name,
        schema: { ...components.ofInput(input.type), description: restWords(input.description) },
        required: isRequired(input),
      })),
    ),
  };
  const shared = components.shared(`${route.operation}Body`, () => schema);
  return { required: true, content: { 'application/json': { schema: shared } } };
}

const SECURITY: Record<Route['who'], Record<string, string[]>[]> = {
  admin: [{ apiKey: [] }],
  superadmin: [{ apiKey: [] }],
  client: [{ accessToken: [] }],
  anyone: [],
};

const CALLERS: Record<Route['who'], string> = {
  admin: 'For administrators.',
  superadmin: 'For superadmins.',
  client: 'For game clients.',
  anyone: 'Needs no credential.',
};

/** `CreateAccount` of two routes is `createAccount` and `createAccountClient`: ids are unique. */
function operationId({ operation, path }: Route, taken: Set<string>): string {
  const id = operation[0]!.toLowerCase() + operation.slice(1);
  const free = taken.has(id) && path.startsWith('/v1/client/') ? `${id}ForClient` : id;
  if (taken.has(free)) throw new Error(`Two routes would have the operation id ${free}`);
  taken.add(free);
  return free;
}

/** The OpenAPI 3.1 document of the routes, derived from table, operations and schema with their descriptions. */
export function openApi(routes: RestRoute[], headerPrefix: string): JsonSchema {
  const components = new Components();
  components.shared('Error', () => errorEnvelope);
  const requestId = {
    description: 'Names the request in the logs of the service.',
    required: true,
    schema: { type: 'string' },
  };
  const answerHeaders = { [`${headerPrefix}-request-id`]: { $ref: '#/components/headers/RequestId' } };
  const requestHeaders = {
    nonce: {
      name: `${headerPrefix}-client-nonce`,
      in: 'header',
      required: true,
      description: 'A fresh nonce of GET /v1/client/nonce; good for one submission.',
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
  };
  const replayed = {
    [`${headerPrefix}-replayed`]: {
      description: '`true` when this is the first answer to the idempotency key again.',
      schema: { type: 'string', enum: ['true'] },
    },
  };
  const taken = new Set<string>();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const rest of routes) {
    const { route, inputs } = rest;
    const body = requestBody(components, rest);
    const headers = (route.headers ?? []).map((name) => requestHeaders[name]);
    const parameters = [
      ...inputs.filter(({ where }) => where !== 'body').map((input) => parameter(components, input)),
      ...headers,
    ];
    const errors = errorStatuses(rest).map((status) => [
      status,
      { $ref: `#/components/responses/Error${status}` },
    ]);
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = {
      operationId: operationId(route, taken),
      tags: [routeGroups.find((group) => group.routes.includes(route))!.name],
      summary: restWords(rest.field.description),
      description: CALLERS[route.who],
      security: SECURITY[route.who],
      ...(parameters.length > 0 && { parameters }),
      ...(body && { requestBody: body }),
      responses: {
        [route.status]: {
          description: route.status === 201 ? 'Created.' : 'Done.',
          headers: {
            ...answerHeaders,
            ...(route.headers?.includes('idempotency-key') && replayed),
          },
          content: { 'application/json': { schema: bodySchema(components, rest) } },
        },
        ...Object.fromEntries(errors),
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Leaderboard service', version: '1', description: ABOUT },
    servers: [{ url: '/' }],
    tags: tagsOf(routes),
    paths: { ...paths, ...servicePaths(answerHeaders) },
    components: {
      schemas: components.schemas,
      headers: { RequestId: requestId },
      responses: errorResponses(answerHeaders),
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

function tagsOf(routes: RestRoute[]): JsonSchema[] {
  const groups = routeGroups.map(({ name, routes: rows }) => {
    const first = routes.find(({ route }) => rows.includes(route))!;
    return { name, description: restWords(recordOf(first).description) };
  });
  return [...groups, { name: 'Service', description: 'The state of the service itself.' }];
}
