import {
  type DocumentNode,
  type GraphQLSchema,
  parse,
  SingleFieldSubscriptionsRule,
  validate,
} from 'graphql';
import { DomainError } from '../../base/errors.js';

const CONDITIONAL = /@\s*(?:skip|include)\b/;

/**
 * Refuses what the library's rule for subscriptions stumbles over: it throws, where it should report, at a root field
 * under `@skip` or `@include` whose condition is not a literal, and whoever validates takes that for a fault of its own.
 * @throws DomainError BAD_REQUEST
 */
export function checkSubscriptionRoots(schema: GraphQLSchema, source: string, maxTokens: number): void {
  if (!source.includes('subscription') || !CONDITIONAL.test(source)) return;
  let document: DocumentNode;
  try {
    document = parse(source, { maxTokens });
  } catch {
    // Told by whoever parses it next.
    return;
  }
  try {
    validate(schema, document, [SingleFieldSubscriptionsRule]);
  } catch (error) {
    throw new DomainError('BAD_REQUEST', (error as Error).message);
  }
}
