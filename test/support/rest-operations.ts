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
/** The credential the operation requires. */
export const callerKindOf = ({ spec }: Operation): 'admin' | 'client' | 'anyone' => {
  const [scheme] = spec.security;
  return scheme?.apiKey ? 'admin' : scheme?.accessToken ? 'client' : 'anyone';
};
