import { GraphQLError, type ValidationRule } from 'graphql';
import { introspectionLimits } from './introspection-limits.js';

/** Refuses to show the schema; `__typename` is always shown. */
const noIntrospection: ValidationRule = (context) => ({
  Field: (node) => {
    if (node.name.value !== '__schema' && node.name.value !== '__type') return;
    context.reportError(new GraphQLError('This service does not tell its schema', { nodes: node }));
  },
});

/** The rules beside those of the standard that every document of a caller is held against. @param allowed GRAPHQL_INTROSPECTION */
export function introspectionRules(allowed: boolean): ValidationRule[] {
  return [allowed ? introspectionLimits : noIntrospection];
}

/** A sentence of GraphQL without the names that it offers for a misspelt one. */
export function withoutSuggestion(message: string): string {
  return message.replace(/ Did you mean .*\?$/s, '');
}
