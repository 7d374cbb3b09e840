import type { ApiDocument, OperationSpec } from '../docs/document.js';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const JSON_TYPE = 'application/json';

/** Variables of the collection that callers fill in. Path parameters are variables of their own request. */
const VARIABLES = { base: 'http://localhost:3000', key: '', token: '', nonce: '' };

/** Headers that are not taken from a parameter's example. */
const HEADER_VALUES: Record<string, string> = {
  'idempotency-key': '{{$guid}}',
  'service-client-nonce': '{{nonce}}',
};

function headersOf(document: ApiDocument, spec: OperationSpec) {
  const names = spec.security.flatMap((scheme) => Object.keys(scheme));
  const credentials = names.map((name) => {
    const { type, name: header } = document.components.securitySchemes[name]!;
    return type === 'http'
      ? { key: 'authorization', value: 'Bearer {{token}}' }
      : { key: header!, value: '{{key}}' };
  });
  const others = (spec.parameters ?? [])
    .filter((parameter) => parameter.in === 'header')
    .map(({ name, required }) => ({
      key: name,
      value: HEADER_VALUES[name] ?? '',
      disabled: !required && HEADER_VALUES[name] === undefined,
    }));
  return [...credentials, ...others];
}

function itemOf(document: ApiDocument, method: string, path: string, spec: OperationSpec) {
  const parameters = spec.parameters ?? [];
  const content = spec.requestBody?.content;
  const body = content?.[JSON_TYPE];
  const file = Object.keys(content ?? {}).find((type) => type !== JSON_TYPE);
  const header = headersOf(document, spec);
  if (body) header.push({ key: 'content-type', value: JSON_TYPE });
  else if (file !== undefined) header.push({ key: 'content-type', value: file });
  return {
    name: spec.summary.replace(/\.$/, ''),
    request: {
      method: method.toUpperCase(),
      description: spec.description,
      header,
      url: {
        raw: `{{base}}${path.replace(/{(\w+)}/g, ':$1')}`,
        host: ['{{base}}'],
        path: path
          .slice(1)
          .split('/')
          .map((part) => part.replace(/^{(\w+)}$/, ':$1')),
        query: parameters
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, required, description }) => ({
            key: name,
            value: '',
            description,
            disabled: !required,
          })),
        variable: parameters
          .filter((parameter) => parameter.in === 'path')
          .map(({ name, description }) => ({ key: name, value: '', description })),
      },
      ...(body && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(body.example ?? {}, null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
      ...(!body && file !== undefined && { body: { mode: 'file', file: {} } }),
    },
  };
}

/** The OpenAPI document as a collection that API clients import, among them Bruno and Insomnia: a folder for each tag. */
export function collectionOf(document: ApiDocument): object {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, spec]) => ({ method, path, spec })),
  );
  const folders = document.tags.map(({ name, description }) => ({
    name,
    description,
    item: operations
      .filter(({ spec }) => spec.tags.includes(name))
      .map(({ method, path, spec }) => itemOf(document, method, path, spec)),
  }));
  const { title, version, description } = document.info;
  return {
    info: { name: `${title} ${version}`, description, schema: SCHEMA },
    variable: Object.entries(VARIABLES).map(([key, value]) => ({ key, value })),
    item: folders,
  };
}
