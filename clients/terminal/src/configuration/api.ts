import { setTimeout as delay } from 'node:timers/promises';
import {
  buildSchema,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNullableType,
} from 'graphql';
import { retryAfterMillis } from '../base/moments/retry-after.js';
import { schemaText } from '../contract/package.js';
import { got, ServiceError } from '../rest/client.js';
import type { Session } from '../session.js';
import { fileName, type Kind, restName, SHAPES, UNORDERED, type Values } from './fields.js';

/** The schema of this version of the package: fields and their spelling are derived from it. */
const schema = buildSchema(schemaText('schema.graphql'), { assumeValid: true });

/** Name of a field of an input in the file. */
function fieldName({ name }: GraphQLInputField): string {
  return fileName(restName(name));
}

function inputNamed(name: string): GraphQLInputObjectType {
  return schema.getType(name) as GraphQLInputObjectType;
}

/** Input types of new and of changed records. */
function inputOf(verb: 'Create' | 'Update', kind: Kind | 'ratio'): GraphQLInputObjectType {
  return inputNamed(`${verb}${SHAPES[kind].type}Input`);
}

/** The fields of a record that a file has, by their names in the file. */
function fieldsOf(input: GraphQLInputObjectType, kind: Kind): Map<string, GraphQLInputField> {
  const { leftOut } = SHAPES[kind];
  const fields = Object.values(input.getFields()).filter(({ name }) => !(restName(name) in leftOut));
  return new Map(fields.map((field) => [fieldName(field), field]));
}

const known = new Map<Kind, Map<string, GraphQLInputField>>();

/** All fields of a record that a file has. */
export function recordFields(kind: Kind): ReadonlyMap<string, GraphQLInputField> {
  const fields = known.get(kind) ?? allFields(kind);
  known.set(kind, fields);
  return fields;
}

function allFields(kind: Kind): Map<string, GraphQLInputField> {
  return new Map([...fieldsOf(inputOf('Create', kind), kind), ...fieldsOf(inputOf('Update', kind), kind)]);
}

function shownFields(kind: Kind) {
  return (schema.getType(SHAPES[kind].type) as GraphQLObjectType).getFields();
}

/** True if a stored record can have null there. */
export function canBeNull(kind: Kind, field: string): boolean {
  const member = shownFields(kind)[recordFields(kind).get(field)!.name];
  return member !== undefined && isNullableType(member.type);
}

/** Names of the rules of a ratio board. */
export function ratioFields(): string[] {
  return Object.values(inputOf('Create', 'ratio').getFields()).map(fieldName);
}

/** Names of the fields that can change. */
export function changeableFields(kind: Kind): string[] {
  return [...fieldsOf(inputOf('Update', kind), kind).keys()];
}

/** The API's spelling of a value: names of enum values are upper-case, members camelCase. JSON objects stay. */
function toApi(value: unknown, type: GraphQLInputType): unknown {
  const own = getNullableType(type);
  if (value === null || value === undefined) return value;
  if (isListType(own)) return (value as unknown[]).map((item) => toApi(item, own.ofType));
  if (isEnumType(own)) return String(value).toUpperCase();
  if (!isInputObjectType(own)) return value;
  if (own.name === THRESHOLD) return { value: value === OFF ? null : value };
  return objectToApi(value as Values, own);
}

/** The API's threshold is an object, so that a check that is off differs from one that has the service's. */
const THRESHOLD = 'ThresholdInput';
const OFF = 'off';
/** Inputs of which a file has only the members that are set. */
const SPARSE = ['AntiCheatSettingsInput', 'TierThresholdsInput'];

function objectToApi(values: Values, type: GraphQLInputObjectType): Values {
  const given = Object.values(type.getFields()).filter((field) => values[fieldName(field)] !== undefined);
  return Object.fromEntries(given.map((field) => [field.name, toApi(values[fieldName(field)], field.type)]));
}

/** The file's spelling of a value of the API: the reverse. */
function fromApi(value: unknown, type: GraphQLInputType): unknown {
  const own = getNullableType(type);
  if (value === null || value === undefined) return null;
  if (isListType(own)) return (value as unknown[]).map((item) => fromApi(item, own.ofType));
  if (isEnumType(own)) return String(value).toLowerCase();
  if (!isInputObjectType(own)) return value;
  const record = value as Values;
  if (own.name === THRESHOLD) return record.value ?? OFF;
  const members = Object.values(own.getFields()).filter(
    ({ name }) => !SPARSE.includes(own.name) || record[name] != null,
  );
  return Object.fromEntries(
    members.map((field) => [fieldName(field), fromApi(record[field.name], field.type)]),
  );
}

/** A record of the API in the file's spelling; references are ids. */
export function fileValues(kind: Kind, record: Values): Values {
  const fields = [...recordFields(kind)].map(([name, field]) => {
    const value = fromApi(record[field.name], field.type);
    return [name, kind === 'webhook' && UNORDERED.includes(name) ? (value as string[]).toSorted() : value];
  });
  const paused = kind === 'webhook' && { paused: record.status !== 'ACTIVE' };
  return { ...Object.fromEntries(fields), ...paused };
}

function selection(fields: Iterable<GraphQLInputField>): string {
  return [...fields]
    .map(({ name, type }) => {
      const own = getNamedType(type);
      return isInputObjectType(own) ? `${name} { ${selection(Object.values(own.getFields()))} }` : name;
    })
    .join(' ');
}

/** Fields of a record that matter in addition to those in the file. */
const MORE: Record<Kind, string> = {
  game: 'id',
  board: 'id gameId seriesNumber createdAt',
  template: 'id gameId windowTimeZone',
  webhook: 'id status statusReason',
};

function recordSelection(kind: Kind): string {
  const shown = shownFields(kind);
  const fields = [...recordFields(kind).values()].filter(({ name }) => name in shown);
  return `${MORE[kind]} ${selection(fields)}`;
}

const LISTS: Record<Kind, string> = {
  game: 'games',
  board: 'boards',
  template: 'boardTemplates',
  webhook: 'webhookEndpoints',
};

/** The query of a page of all records of an account. */
export function listQuery(kind: Kind): string {
  return `query ($account: ID!, $after: String) {
    page: ${LISTS[kind]}(accountId: $account, first: 100, after: $after, orderBy: {field: CREATED_AT}) {
      nodes { ${recordSelection(kind)} } pageInfo { hasNextPage endCursor }
    }
  }`;
}

/** The mutation that makes or changes a record; its answer is the record. */
export function writeMutation(verb: 'Create' | 'Update', kind: Kind): string {
  const { type } = SHAPES[kind];
  const payload = `${type[0]!.toLowerCase()}${type.slice(1)}`;
  return `mutation ($input: ${verb}${type}Input!) {
    answer: ${verb.toLowerCase()}${type}(input: $input) { record: ${payload} { ${recordSelection(kind)} } }
  }`;
}

/** The mutation that deletes a record. */
export function deleteMutation(kind: Kind): string {
  const { type } = SHAPES[kind];
  return `mutation ($input: Delete${type}Input!) { delete${type}(input: $input) { deletedId } }`;
}

/** Input of a write from values in the file's spelling, with ids for references. */
export function writeInput(verb: 'Create' | 'Update', kind: Kind, values: Values): Values {
  return objectToApi(values, inputOf(verb, kind));
}

interface GraphQLAnswer<T> {
  data?: T | null;
  errors?: {
    message: string;
    extensions?: { code?: string; requestId?: string; details?: ServiceError['details'] };
  }[];
}

/** A request over the rate limit (HTTP_RATE_LIMIT) is retried this many times, after at most this long each. */
const MOST_TRIES = 5;
const LONGEST_WAIT_MS = 60_000;
const USUAL_WAIT_MS = 1_000;

type Post = (at: string, init: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** Executes a GraphQL operation with the session's key. @throws ServiceError */
export async function execute<T>(session: Session, query: string, variables: Values): Promise<T> {
  const post = session.client.POST as unknown as Post;
  let answer = await post('/graphql', { body: { query, variables } });
  for (let tries = 1; answer.response.status === 429 && tries < MOST_TRIES; tries += 1) {
    await delay(
      Math.min(
        retryAfterMillis(answer.response.headers.get('retry-after'), Date.now()) ?? USUAL_WAIT_MS,
        LONGEST_WAIT_MS,
      ),
    );
    answer = await post('/graphql', { body: { query, variables } });
  }
  const { data, errors } = ((answer.data ?? answer.error) || {}) as GraphQLAnswer<T>;
  const [error] = errors ?? [];
  if (!error) {
    // Another answer than GraphQL's: that of a proxy, or the service's for a key that is not valid.
    await got(Promise.resolve(answer));
    return data as T;
  }
  const { code, requestId, details } = error.extensions ?? {};
  throw new ServiceError(error.message, answer.response.status, code, requestId, details);
}
