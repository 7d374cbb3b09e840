/**
 * localStorage for GraphiQL's tabs, history, layout and theme, without any headers: GraphiQL's history writes the header
 * editor's text along with every operation, also when keeping headers is switched off, and that text may hold a key.
 */
export const storageWithoutHeaders = {
  getItem: (key: string) => localStorage.getItem(key),
  setItem: (key: string, value: string) => localStorage.setItem(key, withoutHeaders(value)),
  removeItem: (key: string) => localStorage.removeItem(key),
  clear: () => {
    for (const key of Object.keys(localStorage))
      if (key.startsWith('graphiql:')) localStorage.removeItem(key);
  },
  get length() {
    return Object.keys(localStorage).filter((key) => key.startsWith('graphiql:')).length;
  },
};

function withoutHeaders(value: string): string {
  if (!value.includes('"headers"')) return value;
  try {
    return JSON.stringify(JSON.parse(value, (name, part) => (name === 'headers' ? null : part)));
  } catch {
    // Text of an editor, not a record: GraphQL, or JSON that is still being typed.
    return value;
  }
}
