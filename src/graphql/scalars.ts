import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';

// Date, `T` or a blank, time to the second or finer, offset or none.
const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|z|[+-]\d\d(?::?\d\d)?)?$/;
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function offsetMinutes(text: string | undefined): number {
  if (text === undefined || text === 'Z' || text === 'z') return 0;
  const digits = text.slice(1).replace(':', '');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2) || 0);
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (text[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * Reads an ISO 8601 date-time of any offset; without one it is UTC. Digits below the millisecond are cut off.
 * @returns undefined for text that is no real moment of the years 1970 to 9999
 */
export function readDateTime(text: string): Date | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  const millis = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const local = Date.UTC(year!, month! - 1, day, hour, minute, second, millis);
  const shown = new Date(local);
  // 31 February and 25 o'clock roll over into another day.
  if (shown.getUTCMonth() !== month! - 1 || shown.getUTCDate() !== day || minute! > 59 || second! > 59) {
    return undefined;
  }
  const time = local - offsetMinutes(match[8]) * 60_000;
  return time >= EARLIEST && time <= LATEST ? new Date(time) : undefined;
}

function parseDateTime(value: unknown): Date {
  const date = typeof value === 'string' ? readDateTime(value) : undefined;
  if (!date) throw new GraphQLError('must be an ISO 8601 date and time like 2030-01-31T18:00:00Z');
  return date;
}

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  description:
    'Date and time in ISO 8601, in UTC with milliseconds, e.g. `2030-01-31T18:00:00.000Z`. Input can have any offset; without one, UTC is assumed. Years 1970 to 9999.',
  serialize: (value) => (value as Date).toISOString(),
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
});

const LARGEST_OBJECT_BYTES = 8 * 1_024;

function parseObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GraphQLError('must be a JSON object');
  }
  if (Buffer.byteLength(JSON.stringify(value)) > LARGEST_OBJECT_BYTES) {
    throw new GraphQLError(`must not be larger than ${LARGEST_OBJECT_BYTES} bytes as compact JSON`);
  }
  return value as Record<string, unknown>;
}

export const JsonObject = new GraphQLScalarType<Record<string, unknown>, unknown>({
  name: 'JSONObject',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  description: 'Any JSON object, at most 8 KiB as compact JSON. Its keys and values are stored unchanged.',
  serialize: (value) => value,
  parseValue: parseObject,
  parseLiteral: (node, variables) => parseObject(valueFromASTUntyped(node, variables)),
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
