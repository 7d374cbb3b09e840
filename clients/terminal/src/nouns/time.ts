const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The time that a word means: a date is its first moment in UTC. */
export function parseTime(text: string): string {
  if (text === 'now') return new Date().toISOString();
  return DATE.test(text) ? `${text}T00:00:00Z` : text;
}
