import { createHash } from 'node:crypto';

/** An address as logs and plans show it, because its path may hold a token: `https://host/… (fingerprint)`. */
export function shownAddressOf(url: string): string {
  return `${new URL(url).origin}/… (${createHash('sha256').update(url).digest('hex').slice(0, 8)})`;
}
