import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  parse,
  separateOperations,
  validate,
} from 'graphql';
import type { Context, ContextFactory } from '../../graphql/context.js';
import { domainErrorOf } from '../../graphql/errors.js';

/** What runs an operation of a document for a visitor; `root` is the one field it asks for. */
export type RunQuery = <T>(operation: string, root: string, variables: Record<string, unknown>) => Promise<T>;

/**
 * Operations on the service's own schema, as anybody may run them: what the request carries of credentials is not looked
 * at, because answers are kept by shared caches.
 * @throws Error when the document does not fit the schema
 */
export function visitorQueries(
  schema: GraphQLSchema,
  source: string,
): (contextOf: ContextFactory, requestId: string) => RunQuery {
  const document = parse(source);
  const [fault] = validate(schema, document);
  if (fault) throw fault;
  const operations: Record<string, DocumentNode> = separateOperations(document);
  return (contextOf, requestId) => async (operation, root, variables) => {
    const contextValue: Context = await contextOf({ headers: {}, requestId, socketAddress: undefined });
    const result: ExecutionResult = await execute({
      schema,
      document: operations[operation]!,
      variableValues: variables,
      contextValue,
    });
    const [error] = result.errors ?? [];
    if (error) {
      const shown = domainErrorOf(error);
      // A fault of ours is logged as it was thrown.
      throw shown.code === 'INTERNAL' ? (error.originalError ?? error) : shown;
    }
    return result.data![root] as never;
  };
}
