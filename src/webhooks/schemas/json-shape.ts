/** A JSON Schema 2020-12, as far as events need it. */
export type JsonShape = Record<string, unknown>;

const described = (description: string) => (description ? { description } : {});

export const text = (description = ''): JsonShape => ({ type: 'string', ...described(description) });
export const wholeNumber = (description = ''): JsonShape => ({ type: 'integer', ...described(description) });
export const number = (description = ''): JsonShape => ({ type: 'number', ...described(description) });
export const yesNo = (description = ''): JsonShape => ({ type: 'boolean', ...described(description) });
export const moment = (description = ''): JsonShape => ({
  type: 'string',
  format: 'date-time',
  ...described(description),
});
export const oneOf = (values: readonly string[], description = ''): JsonShape => ({
  type: 'string',
  enum: values,
  ...described(description),
});

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
export const id = (prefix: string, description = ''): JsonShape => ({
  type: 'string',
  pattern: `^${prefix}_${UUID}$`,
  ...described(description),
});

export const orNull = (shape: JsonShape): JsonShape => ({ anyOf: [shape, { type: 'null' }] });
export const manyOf = (items: JsonShape, description = ''): JsonShape => ({
  type: 'array',
  items,
  ...described(description),
});

/** An object whose members are always there, unless they are named as optional. Later versions may add members. */
export function object(
  properties: Record<string, JsonShape>,
  optional: readonly string[] = [],
  description = '',
): JsonShape {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', ...described(description), required, properties };
}

export const anyObject = (description = ''): JsonShape => ({ type: 'object', ...described(description) });

/** The TypeScript type of a shape. */
export function typeOf(shape: JsonShape): string {
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.enum) return (shape.enum as string[]).map((value) => JSON.stringify(value)).join(' | ');
  if (shape.anyOf) return (shape.anyOf as JsonShape[]).map(typeOf).join(' | ');
  if (shape.type === 'array') {
    const item = typeOf(shape.items as JsonShape);
    return item.includes('|') ? `(${item})[]` : `${item}[]`;
  }
  if (shape.type === 'integer') return 'number';
  if (shape.type !== 'object') return String(shape.type);
  if (!shape.properties) return 'Record<string, unknown>';
  const required = shape.required as string[];
  const members = Object.entries(shape.properties as Record<string, JsonShape>).map(([name, member]) => {
    const about = member.description ? `/** ${member.description} */ ` : '';
    return `${about}${name}${required.includes(name) ? '' : '?'}: ${typeOf(member)}`;
  });
  return `{ ${members.join('; ')} }`;
}
