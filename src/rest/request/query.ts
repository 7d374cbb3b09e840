import { type GraphQLInputType, getNamedType } from 'graphql';

const INTEGER = /^[+-]?\d{1,17}$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,4})?$/i;
const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Parses the text of a query parameter of one type; undefined: invalid. */
export type QueryReader = (text: string) => unknown;

function integer(largest: number): QueryReader {
  return (text) => (INTEGER.test(text) && Math.abs(Number(text)) <= largest ? Number(text) : undefined);
}

const READERS: Record<string, QueryReader> = {
  Int: integer(2 ** 31 - 1),
  SafeInt: integer(Number.MAX_SAFE_INTEGER),
  Float: (text) => (NUMBER.test(text) ? Number(text) : undefined),
  Boolean: (text) => BOOLEANS.get(text),
};

/** Types that are not in the table (ids, enums, times, the service's own scalars) parse text themselves. */
export function queryReader(type: GraphQLInputType): QueryReader {
  return READERS[getNamedType(type).name] ?? ((text) => text);
}
