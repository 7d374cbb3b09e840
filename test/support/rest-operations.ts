import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ANY_PICTURE } from '../../src/base/pictures/picture.js';
import { RECORDING_TYPE } from '../../src/rest/recordings/routes.js';
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
/** True for the upload of a file. @param spec of an operation */
export const isUpload = ({ requestBody }: Data): boolean =>
  [ANY_PICTURE, RECORDING_TYPE].some((type) => type in (requestBody?.content ?? {}));
/** The credential the operation requires. */
export const callerKindOf = ({ spec }: Operation): 'admin' | 'client' | 'anyone' => {
  const [scheme] = spec.security;
  return scheme?.apiKey ? 'admin' : scheme?.accessToken ? 'client' : 'anyone';
};
