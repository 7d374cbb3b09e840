/** Stands in for the generated `graphql` when the console is bundled: an operation is its own text. */
export const graphql = (text: string): string => text;
