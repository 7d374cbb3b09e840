/** Thrown with the reason why a row is bad. */
export class BadRow extends Error {}
