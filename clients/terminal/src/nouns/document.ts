import { schemaText } from '../contract/package.js';

/** The type of one value. */
interface InputKind {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  /** `date-time`, or undefined. */
  format?: string;
  /** The only values. */
  values?: string[];
  /** True for an array whose items are objects. */
  ofObjects?: boolean;
}

/** An input of an operation, in its address or its body. */
export interface CommandInput {
  /** Its name in REST. */
  name: string;
  where: 'path' | 'query' | 'header' | 'body';
  /** Path in the body: its name, after that of the object it is nested in. */
  way: string[];
  required: boolean;
  /** True if the record can hold null there. */
  clearable: boolean;
  description: string;
  kind: InputKind;
}

export type HttpMethod = 'get' | 'post' | 'patch';

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: Schema;
}

type MediaContent = { content: { 'application/json': { schema: Schema } } };

interface DocumentedOperation {
  parameters?: Parameter[];
  requestBody?: MediaContent;
  responses: Record<string, MediaContent>;
}

interface OpenApiDocument {
  paths: Record<string, Partial<Record<HttpMethod, DocumentedOperation>>>;
  components: { schemas: Record<string, Schema> };
}

/**
 * The OpenAPI document of this version of the package: the client's types and the commands' options are derived from
 * it.
 */
const document: OpenApiDocument = JSON.parse(schemaText('openapi.json'));

/** The schema without references and without the alternative null. */
function nonNullSchema(schema: Schema): Schema {
  if (schema.$ref) return nonNullSchema(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  const real = schema.anyOf?.find(({ type }) => type !== 'null');
  return real ? nonNullSchema(real) : schema;
}

function takesNull(schema: Schema): boolean {
  return [schema, ...(schema.anyOf ?? [])].some(({ type }) => [type].flat().includes('null'));
}

function typeKind(schema: Schema): InputKind {
  const { type, format, enum: values, items } = nonNullSchema(schema);
  const [name] = [type].flat().filter((word) => word !== 'null');
  const words = values?.filter((value) => value !== null).map(String);
  return {
    type: (name ?? 'string') as InputKind['type'],
    ...(format !== undefined && { format }),
    ...(words && { values: words }),
    ...(items && nonNullSchema(items).properties && { ofObjects: true }),
  };
}

/** True if the schema's members are values that one word each can say. */
function hasPlainMembers({ properties }: Schema): boolean {
  return (
    properties !== undefined && Object.values(properties).every((member) => !nonNullSchema(member).properties)
  );
}

/** An object that is set and cleared as a whole. */
const WHOLE = ['format', 'recordings', 'verdicts'];

/** Inputs of a body; an object with known, plain members is replaced by them, any other one is given as JSON. */
function members(body: Schema, record: Schema | undefined, way: string[] = []): CommandInput[] {
  return Object.entries(body.properties ?? {}).flatMap(([name, schema]) => {
    const inner = nonNullSchema(schema);
    const shown = record?.properties?.[name];
    if (hasPlainMembers(inner) && !WHOLE.includes(name))
      return members(inner, shown && nonNullSchema(shown), [...way, name]);
    return {
      name,
      where: 'body' as const,
      way: [...way, name],
      required: way.length === 0 && (body.required ?? []).includes(name),
      clearable: shown !== undefined && takesNull(shown),
      description: schema.description ?? '',
      kind: typeKind(schema),
    };
  });
}

function operationAt(method: HttpMethod, at: string): DocumentedOperation | undefined {
  return document.paths[at]?.[method];
}

/** True if the service of this version has the operation. */
export function isServed(method: HttpMethod, at: string): boolean {
  return operationAt(method, at) !== undefined;
}

/** The query parameter for a record's account: useful only as a list's filter. */
function isBesideRecord({ name, in: where }: Parameter, { parameters = [] }: DocumentedOperation): boolean {
  return name === 'account_id' && where === 'query' && !parameters.some((other) => other.name === 'limit');
}

/** All inputs of the operation in the document's order, except the account of a named record. */
export function documentInputs(method: HttpMethod, at: string): CommandInput[] {
  const operation = operationAt(method, at);
  if (!operation) throw new Error(`schema/openapi.json has no ${method} ${at}`);
  const shown = (operation.parameters ?? []).filter((parameter) => !isBesideRecord(parameter, operation));
  const parameters = shown.map((parameter) => ({
    name: parameter.name,
    where: parameter.in,
    way: [parameter.name],
    required: parameter.required,
    clearable: false,
    description: parameter.description,
    kind: typeKind(parameter.schema),
  }));
  const body = operation.requestBody?.content['application/json'].schema;
  const record = Object.values(operation.responses)[0]?.content['application/json'].schema;
  return [...parameters, ...(body ? members(nonNullSchema(body), record && nonNullSchema(record)) : [])];
}
