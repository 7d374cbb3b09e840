import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  Kind,
} from 'graphql';
import { LARGEST_PAGE } from '../../db/keyset.js';
import { type Right, type Role, rightsIn } from '../../graphql/rights.js';
import { type Input, isRequired } from '../request/inputs.js';
import type { RestRoute } from '../routes/rest-route.js';
import type { Route } from '../routes/route.js';
import { errorStatuses } from './errors.js';
import { exampleBody, exampleOf, withExample } from './examples.js';
import type { ServiceHeaders } from './headers.js';
import { type JsonSchema, orMe } from './json-schema.js';
import { type Components, NO_NUL, restWords, withHints } from './schema.js';

const PAGINATION: JsonSchema = {
  type: 'object',
  description: 'Position of a page in its list.',
  properties: {
    count: { type: 'integer', description: 'Records on this page.', examples: [1] },
    has_next: { type: 'boolean', description: 'True if records follow this page.', examples: [true] },
    has_prev: {
      type: 'boolean',
      description: 'True if records precede this page.',
      examples: [false],
    },
    next_cursor: {
      type: ['string', 'null'],
      description: 'The `cursor` of the next page.',
      examples: ['eyJ2IjpbIjIwMjYtMDMtMDEiXX0'],
    },
    prev_cursor: {
      type: ['string', 'null'],
      description: 'The `cursor` of the previous page.',
      examples: [null],
    },
  },
  required: ['count', 'has_next', 'has_prev', 'next_cursor', 'prev_cursor'],
};

const SECURITY: Record<Route['who'], Record<string, string[]>[]> = {
  admin: [{ apiKey: [] }],
  superadmin: [{ apiKey: [] }],
  client: [{ accessToken: [] }],
  anyone: [],
};

/** A credential is accepted but not required. */
const OPTIONAL = [{ apiKey: [] }, { accessToken: [] }, {}];

const END_OF_EVENTS =
  'a comment as heartbeat every 15 seconds, and `error` with the usual error body before the stream ends for good.';
const EVENTS: Record<NonNullable<Route['live']>, string> = {
  board:
    `Server-sent events: \`board\` with the version as \`id\` and the latest state as data, ` +
    `${END_OF_EVENTS} With \`Last-Event-ID\`, the first event is skipped if nothing has changed.`,
  rank:
    `Server-sent events: \`rank\` with the player's state as data, ${END_OF_EVENTS} The first is the current ` +
    `state, also after a reconnect.`,
  overtaken:
    `Server-sent events: \`overtaken\` with the players who passed as data, ${END_OF_EVENTS} The first ` +
    `has the current rank and no players, also after a reconnect.`,
  reward:
    `Server-sent events: \`reward\` with a reward as data, ${END_OF_EVENTS} After a reconnect the open ` +
    `rewards come again: ignore those that you know.`,
  player:
    `Server-sent events: \`player\` with the player as data, ${END_OF_EVENTS} The first is the current state, also after a ` +
    `reconnect.`,
};

const OPTIONAL_CALLERS = 'No credential required for published boards. If one is sent, it must be valid.';

const BATCH =
  'Each item counts as one request towards rate limits. The body can be up to 256 KiB. Errors of single ' +
  'items are in the results; the request as a whole fails only if the credential, the format or the ' +
  'number of items is wrong.';

const CALLERS: Record<Exclude<Role, 'admin'>, string> = {
  superadmin: 'For superadmins.',
  client: 'For game clients.',
  anyone: 'No credential required.',
};

/** Of several rights one is enough. */
export function forAdministrators(rights: readonly Right[]): string {
  return `For administrators with the right ${rights.map((right) => `\`${right}\``).join(' or ')}.`;
}

function callersOf({ route: { who, optional }, allow }: RestRoute): string {
  if (optional) return OPTIONAL_CALLERS;
  return who === 'admin' ? forAdministrators(rightsIn(allow)) : CALLERS[who];
}

function fragmentDefinitions({ document }: RestRoute): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/** The records of a list: the field that the result has as `nodes`. */
function nodesOf({ selectionSet }: FieldNode): FieldNode {
  const nodes = selectionSet?.selections.find(
    (node) => node.kind === Kind.FIELD && (node.alias ?? node.name).value === 'nodes',
  );
  if (nodes?.kind !== Kind.FIELD) throw new Error('a list selects no nodes');
  return nodes;
}

/** Returns the record of a route; for a list, that of its nodes. */
function recordOf({ type, paged, selection }: RestRoute): GraphQLObjectType {
  const nodes = paged && getNamedType(type.getFields()[nodesOf(selection).name.value]!.type);
  return isObjectType(nodes) ? nodes : type;
}

function answerBody(components: Components, rest: RestRoute): JsonSchema {
  const fragments = fragmentDefinitions(rest);
  if (!rest.paged) return withBeside(components, rest, fragments);
  const nodes = nodesOf(rest.selection);
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

function withBeside(
  components: Components,
  rest: RestRoute,
  fragments: Map<string, FragmentDefinitionNode>,
): JsonSchema {
  const body = components.ofSelection(rest.type, rest.selection.selectionSet!, fragments);
  const { beside } = rest.route;
  if (!beside) return body;
  const operation = [...rest.document.definitions].find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const root =
    operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections[0] : undefined;
  if (root?.kind !== Kind.FIELD) throw new Error(`${rest.route.operation} has no root field`);
  const nodes = root.selectionSet!.selections.filter(
    (one) => one.kind === Kind.FIELD && beside.includes(one.name.value),
  );
  const owner = getNamedType(rest.field.type) as GraphQLObjectType;
  const more = components.ofSelection(owner, { kind: Kind.SELECTION_SET, selections: nodes }, fragments);
  const name = /[^/]+$/.exec(String(body.$ref))?.[0];
  const record = (name === undefined ? body : components.schemas[name]) as JsonSchema;
  return components.shared(`${rest.route.operation}Answer`, () => ({
    ...record,
    properties: { ...(record.properties as JsonSchema), ...(more.properties as JsonSchema) },
    required: [...(record.required as string[]), ...((more.required ?? []) as string[])],
  }));
}

/** The answer of a route and that of its variant. */
function answerOf(components: Components, rest: RestRoute): JsonSchema {
  const answer = answerBody(components, rest);
  return rest.variant ? { anyOf: [answer, answerBody(components, rest.variant)] } : answer;
}

/** An empty parameter counts as absent. */
const EMPTY = { allowEmptyValue: true };

function parameter(components: Components, record: string, input: Input): JsonSchema {
  const limits = input.name === 'limit' ? { minimum: 1, maximum: LARGEST_PAGE } : {};
  const initial = input.defaultValue === undefined ? {} : { default: input.defaultValue };
  const required = input.where === 'path' || isRequired(input);
  return {
    name: input.name,
    in: input.where,
    required,
    ...(!required && EMPTY),
    description: input.where === 'path' ? 'The id of the record.' : restWords(input.description),
    schema: withExample(record, input.name, {
      ...withHints(components.ofQuery(input.type), input.hints ?? {}),
      ...limits,
      ...initial,
    }),
  };
}

/** The parameter `account_id`, in addition to the operation's inputs. */
const ACCOUNT: JsonSchema = {
  name: 'account_id',
  in: 'query',
  required: false,
  ...EMPTY,
  description: 'The account of the record. Returns 403 if it belongs to another one.',
  schema: withExample('Account', 'account_id', { type: 'string' }),
};

/** Lets clients use `me` for their own identity. */
function forCaller({ who }: Route, { schema, ...described }: JsonSchema): JsonSchema {
  const me = who === 'client' && described.name === 'identity_id';
  return { ...described, schema: me ? orMe(schema as JsonSchema) : schema };
}

function requestBody(components: Components, rest: RestRoute): JsonSchema | undefined {
  const { route, inputs } = rest;
  const members = inputs.filter(({ where }) => where === 'body');
  if (members.length === 0) return undefined;
  const record = recordOf(rest).name;
  const described = members.map((input) => {
    const schema = {
      ...withHints(components.ofInput(input.type, input.notNull), input.hints ?? {}),
      description: restWords(input.description),
    };
    return {
      name: input.name,
      schema: withExample(record, input.name, schema),
      required: isRequired(input),
      example: exampleOf(record, input.name, schema),
    };
  });
  const schema = components.shared(`${route.operation}Body`, () => ({
    type: 'object',
    propertyNames: { pattern: NO_NUL },
    ...components.members(described),
  }));
  const example = exampleBody(route.operation, described);
  return { required: true, content: { 'application/json': { schema, example } } };
}

const EXAMPLES: Record<NonNullable<Route['live']>, string> = {
  board: 'id: 4711\nevent: board\ndata: {"id":"…","version":4711,"entry_count":812,…}\n\n',
  rank: 'event: rank\ndata: {"version":4711,"entry":{"rank":7,"value":1200,…},"gap_to_next":30,…}\n\n',
  overtaken:
    'event: overtaken\ndata: {"version":4711,"entry":{"rank":8,…},"count":1,"by":[{"rank":7,…}],…}\n\n',
  reward: 'event: reward\ndata: {"id":"rwd_…","line":"gold","title":"Gold","rank":1,…}\n\n',
  player:
    'event: player\ndata: {"identity_id":"ide_…","proofs":[…],"devices":[…],"merged_player_ids":[]}\n\n',
};

/** Describes a stream in JSON Schema, as far as possible: text whose `data` are the bodies. */
function eventStreamSchema(type: Route['live'], body: JsonSchema): JsonSchema {
  return {
    type: 'string',
    description: 'The stream. The schema describes the data of its events.',
    contentMediaType: 'application/json',
    contentSchema: body,
    examples: [EXAMPLES[type!]],
  };
}

/** Returns one operation of the document, without its id and tag. */
export function describedOperation(
  components: Components,
  headers: ServiceHeaders,
  rest: RestRoute,
): JsonSchema {
  const { route, inputs } = rest;
  const body = requestBody(components, rest);
  const [summary = '', ...more] = restWords(rest.field.description).split(/(?<=\.) (?=[A-Z`])/);
  const { about, parameter: chooses } = route.variant ?? {};
  const others = (rest.variant?.inputs ?? []).map((input) =>
    about !== undefined && input.name === chooses ? { ...input, description: about } : input,
  );
  const all = [
    ...inputs,
    ...others.filter(({ name, where }) => !inputs.some((one) => one.name === name && one.where === where)),
  ];
  const parameters = [
    ...all
      .filter(({ where }) => where !== 'body')
      .map((input) => forCaller(route, parameter(components, recordOf(rest).name, input))),
    ...(rest.limited ? [ACCOUNT] : []),
    ...(route.headers ?? []).map((name) => headers.request[name]),
    ...(route.live === 'board' ? [headers.lastEventId] : []),
  ];
  const errors = errorStatuses(rest).map((status) => [
    status,
    { $ref: `#/components/responses/Error${status}` },
  ]);
  const replayed = route.headers?.includes('idempotency-key') ? headers.replayed : {};
  return {
    summary,
    description: [
      ...more.filter((sentence) => sentence !== 'Superadmins only.'),
      ...(route.live ? [EVENTS[route.live]] : []),
      ...(route.batchOf ? [BATCH] : []),
      callersOf(rest),
      ...(route.aliases ? [`Also served at ${route.aliases.map((path) => `\`${path}\``).join(', ')}.`] : []),
    ].join(' '),
    security: route.optional ? OPTIONAL : SECURITY[route.who],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: {
      [route.status]: {
        description: route.status === 201 ? 'Created.' : 'Done.',
        headers: { ...headers.answer, ...replayed },
        content: route.live
          ? { 'text/event-stream': { schema: eventStreamSchema(route.live, answerOf(components, rest)) } }
          : { 'application/json': { schema: answerOf(components, rest) } },
      },
      ...Object.fromEntries(errors),
    },
  };
}
