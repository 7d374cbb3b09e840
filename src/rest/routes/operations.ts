import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  separateOperations,
  validate,
  visit,
} from 'graphql';
import { packageRoot } from '../../base/package.js';
import { snakeCase } from '../request/names.js';

/** A named operation, ready to run: its result has REST's spelling. */
export interface Operation {
  document: DocumentNode;
  definition: OperationDefinitionNode;
}

/** Returns the text of schema/rest.graphql. */
export function operationsSource(): string {
  return readFileSync(join(packageRoot, 'schema', 'rest.graphql'), 'utf8');
}

/** Adds the snake_case name as an alias to every field of the result; the content of JSON scalars stays unchanged. */
function inSnakeCase(document: DocumentNode): DocumentNode {
  return visit(document, {
    Field: (node) => ({
      ...node,
      alias: { kind: Kind.NAME, value: snakeCase(node.alias?.value ?? node.name.value) },
    }),
  });
}

/**
 * Returns the operations of `source` by name.
 * @param view the schema in REST's spelling
 * @throws Error when an operation does not fit the schema, or a fragment is unused
 */
export function loadOperations(view: GraphQLSchema, source: string): Map<string, Operation> {
  const document = inSnakeCase(parse(source));
  const errors = validate(view, document);
  if (errors[0]) throw new Error(`schema/rest.graphql: ${errors[0].message}`);
  const operations = new Map<string, Operation>();
  for (const [name, separate] of Object.entries(separateOperations(document))) {
    const definition = separate.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    operations.set(name, { document: separate, definition: definition as OperationDefinitionNode });
  }
  return operations;
}
