/** How long a process holds work on a player that it has begun, in milliseconds; after it, any process may take it over. */
export const LEASE_MS = 30_000;
