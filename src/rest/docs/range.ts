import type { JsonSchema } from '../openapi/json-schema.js';

function bounds({ minimum, maximum, minLength, maxLength }: JsonSchema): string | undefined {
  const [from, to] = [minimum ?? minLength, maximum ?? maxLength];
  if (from === undefined && to === undefined) return undefined;
  return `${from ?? ''}–${to ?? ''}${maxLength === undefined ? '' : ' characters'}`;
}

/**
 * Returns the limits of a member that its description doesn't say. Sentences say most limits already, and count characters as
 * people do; a schema's lengths count code points.
 */
export function rangeOf(said: string, schema: JsonSchema): string | undefined {
  return /\bcharacters\b|\d to \d/.test(said) ? undefined : bounds(schema);
}
