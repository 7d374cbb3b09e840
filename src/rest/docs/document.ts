import type { JsonSchema } from '../openapi/json-schema.js';

// The parts of an OpenAPI document that the reference reads, as openapi/document.ts makes them.

export interface ParameterSpec {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: JsonSchema;
}

type Content = Record<string, { schema: JsonSchema; example?: unknown }>;

export interface ResponseSpec {
  $ref?: string;
  description?: string;
  content?: Content;
}

export interface OperationSpec {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: ParameterSpec[];
  requestBody?: { content: Content };
  responses: Record<string, ResponseSpec>;
}

interface SecurityScheme {
  type: string;
  name?: string;
  description: string;
}

export interface ApiDocument {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationSpec>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ResponseSpec>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}

/** Returns the target of a `$ref` in the document; any other value unchanged. */
export function resolved<T extends object>(document: ApiDocument, value: T): T {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value;
  let target: unknown = document;
  for (const part of $ref.slice(2).split('/')) target = (target as Record<string, unknown>)[part];
  return target as T;
}

/** Returns what a schema allows beside null, where it has a choice; the last choice of objects has all their members. */
function choicesOf({ anyOf = [] }: JsonSchema): JsonSchema[] {
  return (anyOf as JsonSchema[]).filter(({ type }) => type !== 'null');
}

/** Returns a schema without references and without null; `allOf` and a choice of objects become one object. */
export function plainSchema(document: ApiDocument, schema: JsonSchema): JsonSchema {
  const { description, examples } = schema;
  let plain = resolved(document, schema);
  const choices = choicesOf(plain);
  if (choices.length === 1) plain = plainSchema(document, choices[0]!);
  const parts = (plain.allOf as JsonSchema[] | undefined) ?? choices;
  const whole = parts.map((part) => plainSchema(document, part));
  if (whole.length > 0 && whole.every(({ type }) => type === 'object')) {
    plain = { ...whole[0]!, properties: Object.assign({}, ...whole.map(({ properties }) => properties)) };
  }
  return {
    ...plain,
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  };
}

/** Returns an example value of a schema, from the examples of its members; of several choices, of the first. */
export function exampleValue(document: ApiDocument, schema: JsonSchema): unknown {
  const [first, second] = schema.examples === undefined ? choicesOf(schema) : [];
  const plain = plainSchema(document, second === undefined ? schema : first!);
  const [given] = (plain.examples as unknown[] | undefined) ?? [];
  if (given !== undefined) return given;
  if (plain.type === 'array') return [exampleValue(document, plain.items as JsonSchema)];
  const properties = Object.entries((plain.properties ?? {}) as Record<string, JsonSchema>);
  return Object.fromEntries(properties.map(([name, member]) => [name, exampleValue(document, member)]));
}
