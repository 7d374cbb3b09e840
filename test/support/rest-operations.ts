import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Data } from './http.js';

/** An operation of the committed OpenAPI document. */
export interface Operation {
  method: string;
  path: string;
  spec: Data;
}

const document: Data = JSON.parse(readFileSync(path.resolve(__dirname, '../../schema/openapi.json'), 'utf8'));
export const operations: Operation[] = Object.entries<Data>(document.paths).flatMap(([template, item]) =>
  Object.entries<Data>(item).map(([method, spec]) => ({
    method: method.toUpperCase(),
    path: template,
    spec,
  })),
);
// Read records before they are changed.
const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** The operations by name, reads first. */
export const cases = operations
  .toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))
  .map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

/** The credential the operation requires. */
export const callerKindOf = ({ spec }: Operation): 'admin' | 'client' | 'anyone' => {
  const [scheme] = spec.security;
  return scheme?.apiKey ? 'admin' : scheme?.accessToken ? 'client' : 'anyone';
};
/** Its status on success. */
export const success = ({ spec }: Operation): number => Number(Object.keys(spec.responses)[0]);
