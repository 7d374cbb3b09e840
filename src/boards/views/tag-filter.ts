import { GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql';
import { NAME } from './dimension.js';

/** Most tags of a filter: more than a view can have. */
const MOST_TAGS = 8;

function parse(value: unknown): Record<string, string> {
  const pairs = typeof value === 'string' ? pairsOf(value) : entriesOf(value);
  if (pairs.length === 0 || pairs.length > MOST_TAGS)
    throw new GraphQLError('must give exactly one value for each tag');
  const tags: Record<string, string> = {};
  for (const [name, text] of pairs) {
    if (Object.hasOwn(tags, name)) throw new GraphQLError(`names the tag ${name} twice`);
    tags[name] = text;
  }
  return tags;
}

function pairsOf(text: string): [string, string][] {
  return text.split(',').map((pair) => {
    const [, name, value] = /^([a-z][a-z0-9_]*):([^:]+)$/.exec(pair.trim()) ?? [];
    if (name === undefined || value === undefined) {
      throw new GraphQLError('must be tags and values like class:mage,track:7');
    }
    return [name, value.trim()];
  });
}

function entriesOf(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GraphQLError('must be an object of tags and values like {class: "mage"}');
  }
  return Object.entries(value).map(([name, text]) => {
    if (typeof text !== 'string') throw new GraphQLError(`must have a string as the value of ${name}`);
    return [name, text];
  });
}

/** Values of the tags of a view. */
export const TagFilter = new GraphQLScalarType<Record<string, string>, unknown>({
  name: 'TagFilter',
  description:
    'The value of each tag of a view, as an object like `{class: "mage"}` or a string like `class:mage,track:7`.',
  serialize: (value) => value,
  parseValue: parse,
  parseLiteral: (node, variables) =>
    parse(node.kind === Kind.STRING ? node.value : valueFromASTUntyped(node, variables)),
});

/** Most views that one request names: more than a board has. */
const MOST_VIEWS = 32;

/** @returns null for all */
function parseNames(value: unknown): string[] | null {
  if (value === 'all') return null;
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value;
  const isList = Array.isArray(names) && names.length >= 1 && names.length <= MOST_VIEWS;
  if (!isList || !names.every((name) => typeof name === 'string' && NAME.test(name))) {
    throw new GraphQLError(`must be "all", or 1 to ${MOST_VIEWS} view names`);
  }
  return names as string[];
}

/** Names of views; null inside: all. */
export const ViewNames = new GraphQLScalarType<string[] | null, unknown>({
  name: 'ViewNames',
  description: 'View names: a list of strings, a string like `weekly,country`, or `all`.',
  serialize: (value) => value,
  parseValue: parseNames,
  parseLiteral: (node, variables) => parseNames(valueFromASTUntyped(node, variables)),
});
