import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import type { TestFilter } from '../read/list-request.js';

function read(value: unknown): TestFilter {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  if (value === 'all' || value === 'ALL') return 'all';
  throw new GraphQLError('must be true, false or "all"');
}

export const TestFilterScalar = new GraphQLScalarType<TestFilter, TestFilter>({
  name: 'TestFilter',
  description: 'A population of scores: `true` test, `false` production, `"all"` both.',
  serialize: read,
  parseValue: read,
  parseLiteral: (node) =>
    read(
      node.kind === Kind.BOOLEAN || node.kind === Kind.STRING || node.kind === Kind.ENUM
        ? node.value
        : undefined,
    ),
});
