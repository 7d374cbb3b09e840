import { schemaText } from '../contract/package.js';
import type { Kind } from './fields.js';

const { definitions } = JSON.parse(schemaText('leaderboards.schema.json')) as {
  definitions: Record<string, { properties: Record<string, { default?: unknown }> }>;
};

/** The default of a field of a new record, by the file's name; undefined: null, or made by the service. */
export function defaultFor(kind: Kind | 'ratio', field: string): unknown {
  return definitions[kind === 'ratio' ? 'ratio_config' : kind]!.properties[field]?.default;
}
