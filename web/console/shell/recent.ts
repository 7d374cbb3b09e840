const MOST = 8;
const ID = /^[a-z]{3}_[0-9a-f-]{36}$/;

const nameOf = (accountId: string) => `console:recent:${accountId}`;

/** Ids of what was opened last in this browser, the newest first. Ids alone: names would outlive those who have them. */
export function recentIds(accountId: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(nameOf(accountId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((id) => ID.test(String(id))).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function noteSeen(accountId: string, id: string): void {
  const ids = [id, ...recentIds(accountId).filter((other) => other !== id)].slice(0, MOST);
  try {
    localStorage.setItem(nameOf(accountId), JSON.stringify(ids));
  } catch {
    // A browser that stores nothing has nothing recent.
  }
}
