import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { readDateTime } from '../base/moments/date-time.js';

function parseDateTime(value: unknown): Date {
  const date = typeof value === 'string' ? readDateTime(value) : undefined;
  if (!date) throw new GraphQLError('must be an ISO 8601 date and time like 2030-01-31T18:00:00Z');
  return date;
}

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  description:
    'Date and time in ISO 8601, in UTC with milliseconds, e.g. `2030-01-31T18:00:00.000Z`. Input can have ' +
    'any offset; without one, UTC is assumed. Years 1970 to 9999.',
  serialize: (value) => (value as Date).toISOString(),
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
});

const LARGEST_OBJECT_BYTES = 8 * 1_024;

function parseFile(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as never;
  throw new GraphQLError('must be a JSON object');
}

function parseObject(given: unknown): Record<string, unknown> {
  const value = parseFile(given);
  if (Buffer.byteLength(JSON.stringify(value)) > LARGEST_OBJECT_BYTES) {
    throw new GraphQLError(`must not be larger than ${LARGEST_OBJECT_BYTES} bytes as compact JSON`);
  }
  return value;
}

export const JsonObject = new GraphQLScalarType<Record<string, unknown>, unknown>({
  name: 'JSONObject',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  description: 'Any JSON object, at most 8 KiB as compact JSON. Its keys and values are stored unchanged.',
  serialize: (value) => value,
  parseValue: parseObject,
  parseLiteral: (node, variables) => parseObject(valueFromASTUntyped(node, variables)),
});

export const ConfigurationJson = new GraphQLScalarType<Record<string, unknown>, unknown>({
  name: 'ConfigurationJSON',
  description:
    'A configuration file, or a part of one, as a JSON object; a file has at most 256 KiB as compact JSON ' +
    'and 2,000 records. Names and values are those of REST, with names of records for ids; the JSON ' +
    'Schema of files is `leaderboards.schema.json`.',
  serialize: (value) => value,
  parseValue: parseFile,
  parseLiteral: (node, variables) => parseFile(valueFromASTUntyped(node, variables)),
});

export const PathStep = new GraphQLScalarType<string | number, string | number>({
  name: 'PathStep',
  description: 'One step of the path to a value: a field name, or an index starting at 0.',
});

/** @param node the literal, for the error's position */
function parseSafeInt(value: unknown, node?: ValueNode): number {
  if (!Number.isSafeInteger(value)) {
    throw new GraphQLError('must be an integer within ±(2^53 − 1)', { nodes: node });
  }
  return value as number;
}

/** GraphQL's Int ends at 2^31: a board that ends in 2999 is farther away in seconds. */
export const SafeInt = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  description: 'A version or a number of seconds: an integer within ±(2^53 − 1). Ranks and counts are `Int`.',
  serialize: (value) => parseSafeInt(value),
  parseValue: (value) => parseSafeInt(value),
  parseLiteral: (node) => parseSafeInt(node.kind === Kind.INT ? Number(node.value) : undefined, node),
});
