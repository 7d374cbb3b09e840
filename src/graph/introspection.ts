import { GraphQLError, type ValidationRule } from 'graphql';

/** Refuses to tell the schema; `__typename` is always told. Part of the rules when GRAPHQL_INTROSPECTION is off. */
export const noIntrospection: ValidationRule = (context) => ({
  Field: (node) => {
    if (node.name.value !== '__schema' && node.name.value !== '__type') return;
    context.reportError(new GraphQLError('This service does not tell its schema', { nodes: node }));
  },
});

/** A sentence of GraphQL without the names that it offers for a misspelt one. */
export function withoutSuggestion(message: string): string {
  return message.replace(/ Did you mean .*\?$/s, '');
}
