import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../base/package.js';

/** What one value can be. */
export interface InputKind {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  /** `date-time`, or undefined. */
  format?: string;
  /** The only values. */
  values?: string[];
}

/** Something an operation takes, in its address or its body. */
export interface Input {
  /** Its name in REST. */
  name: string;
  where: 'path' | 'query' | 'header' | 'body';
  /** Members that lead to it in the body: its name, behind that of an object it lies in. */
  way: string[];
  required: boolean;
  /** Whether null is a value that the record can hold. */
  clearable: boolean;
  description: string;
  kind: InputKind;
}

export type Method = 'get' | 'post' | 'patch';

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: Schema;
}

type Content = { content: { 'application/json': { schema: Schema } } };

interface DocumentedOperation {
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

interface OpenApiDocument {
  paths: Record<string, Partial<Record<Method, DocumentedOperation>>>;
  components: { schemas: Record<string, Schema> };
}

/** The OpenAPI document that this version of the package was made with: the client's types and the commands' options. */
const document: OpenApiDocument = JSON.parse(
  readFileSync(path.join(packageRoot, 'schema', 'openapi.json'), 'utf8'),
);

/** The schema itself, without references and without the alternative null. */
function bare(schema: Schema): Schema {
  if (schema.$ref) return bare(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  const real = schema.anyOf?.find(({ type }) => type !== 'null');
  return real ? bare(real) : schema;
}

function takesNull(schema: Schema): boolean {
  return [schema, ...(schema.anyOf ?? [])].some(({ type }) => [type].flat().includes('null'));
}

function kindOf(schema: Schema): InputKind {
  const { type, format, enum: values } = bare(schema);
  const [name] = [type].flat().filter((word) => word !== 'null');
  const words = values?.filter((value) => value !== null).map(String);
  return {
    type: (name ?? 'string') as InputKind['type'],
    ...(format !== undefined && { format }),
    ...(words && { values: words }),
  };
}

/** Members of a body; those of an object whose members are known stand for it. */
function members(body: Schema, record: Schema | undefined, way: string[] = []): Input[] {
  return Object.entries(body.properties ?? {}).flatMap(([name, schema]) => {
    const inner = bare(schema);
    const shown = record?.properties?.[name];
    if (inner.properties) return members(inner, shown && bare(shown), [...way, name]);
    return {
      name,
      where: 'body' as const,
      way: [...way, name],
      required: way.length === 0 && (body.required ?? []).includes(name),
      clearable: shown !== undefined && takesNull(shown),
      description: schema.description ?? '',
      kind: kindOf(schema),
    };
  });
}

function operationAt(method: Method, at: string): DocumentedOperation | undefined {
  return document.paths[at]?.[method];
}

/** Whether the service of this version has it. */
export function isServed(method: Method, at: string): boolean {
  return operationAt(method, at) !== undefined;
}

/** The account of a record, in the query: of use where it is a list's filter. */
function isBesideRecord({ name, in: where }: Parameter, { parameters = [] }: DocumentedOperation): boolean {
  return name === 'account_id' && where === 'query' && !parameters.some((other) => other.name === 'limit');
}

/** Everything that the operation takes, in the document's order, but the account of a record that is named. */
export function inputsOf(method: Method, at: string): Input[] {
  const operation = operationAt(method, at);
  if (!operation) throw new Error(`schema/openapi.json has no ${method} ${at}`);
  const own = (operation.parameters ?? []).filter((parameter) => !isBesideRecord(parameter, operation));
  const parameters = own.map((parameter) => ({
    name: parameter.name,
    where: parameter.in,
    way: [parameter.name],
    required: parameter.required,
    clearable: false,
    description: parameter.description,
    kind: kindOf(parameter.schema),
  }));
  const body = operation.requestBody?.content['application/json'].schema;
  const answer = Object.values(operation.responses)[0]?.content['application/json'].schema;
  return [...parameters, ...(body ? members(bare(body), answer && bare(answer)) : [])];
}
