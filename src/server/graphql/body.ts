import { DomainError } from '../../base/errors.js';
import { MEMBER_FAULT } from '../../base/json/json.js';

/** A body that cannot be read is 400, like a document: 422 is for values of REST, and for members that both refuse. */
export function refuseAsGraphql(error: DomainError): never {
  if (error.code !== 'VALIDATION_FAILED' || error.details![0]!.type === MEMBER_FAULT.type) throw error;
  throw new DomainError('BAD_REQUEST', `The request body ${error.details![0]!.msg}`);
}

/** A request body of valid shape. */
export interface GraphqlBody {
  query?: string;
  operationName?: string | null;
  variables?: Record<string, unknown> | null;
}

function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObjectOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || isJsonObject(value);
}

/**
 * True for a hash without a document (docs/decisions/graphql.md); Apollo's response makes clients send the document.
 */
function isHashOnly({ query, extensions }: Record<string, unknown>): boolean {
  return query === undefined && isJsonObject((extensions as Record<string, unknown> | null)?.persistedQuery);
}

export function checkedBody(body: unknown): Record<string, unknown> {
  const fields = isObjectOrAbsent(body) ? ((body ?? {}) as Record<string, unknown>) : {};
  if (!isHashOnly(fields) && (typeof fields.query !== 'string' || fields.query === '')) {
    throw new DomainError(
      'BAD_REQUEST',
      'The body must be a JSON object with the GraphQL document in "query".',
    );
  }
  if (!isObjectOrAbsent(fields.variables) || !isObjectOrAbsent(fields.extensions)) {
    throw new DomainError('BAD_REQUEST', '"variables" and "extensions" must be JSON objects.');
  }
  if (fields.operationName != null && typeof fields.operationName !== 'string') {
    throw new DomainError('BAD_REQUEST', '"operationName" must be a string.');
  }
  // Next to a document the hash is redundant, but Apollo would refuse it.
  const { extensions, ...document } = fields;
  return isHashOnly(fields) ? { ...document, extensions } : document;
}
