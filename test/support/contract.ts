import { readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Answer, Data } from './http.js';

type Json = Record<string, Data>;

/** Objects have only the documented members; parts of an `allOf` are closed by the whole. */
function closed(schema: Data): Data {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema as Json).map(([key, value]) => [
    key,
    key === 'allOf' ? value : closed(value),
  ]);
  const copy: Json = Object.fromEntries(parts);
  if (copy.properties && copy.type === 'object') copy.additionalProperties ??= false;
  return copy;
}

/** A response's route template and its place in the document. */
interface Promised {
  validate: ValidateFunction;
  headers: string[];
}

/** Compares real responses with an OpenAPI document. */
export class OpenApiContract {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  readonly #known = new Map<string, Promised>();
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #templates: { template: string; parts: string[] }[];

  constructor(readonly document: Json) {
    addFormats(this.#ajv);
    this.#ajv.addSchema(closed(document), 'openapi');
    this.#templates = Object.keys(document.paths)
      .map((template) => ({ template, parts: template.split('/') }))
      .sort((a, b) => a.template.split('{').length - b.template.split('{').length);
  }

  /** The path template in the document that matches a path; undefined: none. Aliases are not in the document. */
  templateOf(path: string): string | undefined {
    const asked = path
      .replace(/[?#].*$/s, '')
      .replace(/^\/v1(?=\/register\/)/, '')
      .replace('/resend-code', '/resend')
      .replace(/(.)\/$/, '$1')
      .split('/');
    const fits = ({ parts }: { parts: string[] }) =>
      parts.length === asked.length &&
      parts.every((part, index) => part === asked[index] || (part.startsWith('{') && asked[index] !== ''));
    return this.#templates.find(fits)?.template;
  }

  /** The faults of a response; empty: none. */
  faultsOf(
    method: string,
    path: string,
    status: number,
    headers: Pick<Headers, 'has'>,
    body: unknown,
  ): string[] {
    const promised = this.#promised(method, path, status);
    if (!promised) return [`${method} ${path} answers ${status}, which is not documented`];
    const faults = promised.headers
      .filter((name) => !headers.has(name))
      .map((name) => `the header ${name} is missing`);
    if (!promised.validate(body)) {
      for (const { instancePath, message } of promised.validate.errors ?? []) {
        faults.push(`${instancePath || 'the body'} ${message}`);
      }
    }
    return faults;
  }

  /** The faults of a value according to a schema of the document; `ref` is the reference the document uses. */
  faultsOfSchema(ref: string, value: unknown): string[] {
    const validate = this.#ajv.compile({ $ref: `openapi${ref}` });
    return validate(value)
      ? []
      : (validate.errors ?? []).map((fault) => `${fault.instancePath} ${fault.message}`);
  }

  #promised(method: string, path: string, status: number): Promised | undefined {
    const template = this.templateOf(path);
    const key = `${method} ${template} ${status}`;
    const known = this.#known.get(key);
    if (known) return known;
    const operation = template && this.document.paths[template][method.toLowerCase()];
    // The router's own errors belong to no operation.
    const response = operation
      ? operation.responses[status]
      : [404, 405, 413, 415, 400].includes(status) && { $ref: '#/components/responses/Error404' };
    if (!response) return undefined;
    const [pointer, resolved] = response.$ref
      ? [response.$ref.slice(1), this.#at(response.$ref)]
      : [`/paths/${escaped(template!)}/${method.toLowerCase()}/responses/${status}`, response];
    const headers = Object.entries((resolved.headers ?? {}) as Json)
      .filter(([, header]) => (header.$ref ? this.#at(header.$ref) : header).required)
      .map(([name]) => name);
    const [type = 'application/json'] = Object.keys((resolved.content ?? {}) as Json);
    const $ref = operation
      ? `openapi#${pointer}/content/${escaped(type)}/schema`
      : 'openapi#/components/schemas/Error';
    const promised = { validate: this.#validator($ref), headers };
    this.#known.set(key, promised);
    return promised;
  }

  /** The same one for a response that many routes share, such as a 404. */
  #validator($ref: string): ValidateFunction {
    const known = this.#validators.get($ref) ?? this.#ajv.compile({ $ref });
    this.#validators.set($ref, known);
    return known;
  }

  #at(ref: string): Data {
    return ref
      .slice(2)
      .split('/')
      .reduce<Data>((value, part) => value[part], this.document);
  }
}

function escaped(template: string): string {
  return encodeURIComponent(template.replaceAll('~', '~0').replaceAll('/', '~1'));
}

let committed: OpenApiContract | undefined;

/** @param file the document that answers are held to from its first use on */
export function heldContract(file = path.resolve(__dirname, '../../schema/openapi.json')): OpenApiContract {
  committed ??= new OpenApiContract(JSON.parse(readFileSync(file, 'utf8')));
  return committed;
}

/** Paths the document doesn't cover: GraphQL, pages, HEAD requests and preflights. */
const ELSEWHERE = /^\/(graphql|explorer|docs|games|b|pages)(\/|$)/;

/** @throws Error if a REST response does not match the committed OpenAPI document */
export function holdToContract(method: string, { pathname, search }: URL, answer: Answer): void {
  if (ELSEWHERE.test(pathname) || method === 'HEAD' || answer.status === 204) return;
  const { status, headers, body } = answer;
  const faults = heldContract().faultsOf(method, pathname, status, headers, body);
  if (faults.length === 0) return;
  throw new Error(`${method} ${pathname}${search}: ${faults.join('; ')}\n${status} ${JSON.stringify(body)}`);
}
