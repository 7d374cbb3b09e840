const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A date means 00:00 UTC. */
export function parseTime(text: string): string {
  if (text === 'now') return new Date().toISOString();
  return DATE.test(text) ? `${text}T00:00:00Z` : text;
}
