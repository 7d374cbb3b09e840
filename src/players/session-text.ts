import { administers, type Owned } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';

/** How much of it everybody sees who reads the record. */
const SHOWN = 8;

/** What descriptions say of it. */
export const SHORTENED =
  'Callers without the right `moderate` or `privacy` get its first eight characters and `…`, or only `…` if it has no more.';

/**
 * The text that opens a device's sessions: `client_fingerprint`, and `external_key` of players of the kind `device`. Whoever has it
 * plays as that player, so only those see it whole who may erase or change players. Everything that shows one asks here.
 * @param owner the account and game of the record
 */
export function sessionTextFor(
  { caller }: Pick<Context, 'caller'>,
  owner: Required<Owned>,
): (text: string) => string {
  const isTrusted =
    (caller.kind === 'admin' && caller.superAdmin) ||
    administers({ caller }, owner, 'moderate') ||
    administers({ caller }, owner, 'privacy');
  return isTrusted ? (text) => text : shortened;
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length > SHOWN ? `${letters.slice(0, SHOWN).join('')}…` : '…';
}

/** True if it may be the text of a device as those see it who may not have it whole. */
export function isShortened(text: string): boolean {
  return [...text].length <= SHOWN + 1 && text.endsWith('…');
}

/** The key of a player, of whatever kind. */
export type ShownKey = <K extends string | null>(kind: string | null, key: K) => K;

/** Keys of a game's players, or of an account's where `gameId` is null, as the caller sees them. */
export function playerKeyFor(context: Pick<Context, 'caller'>, owner: Required<Owned>): ShownKey {
  const shown = sessionTextFor(context, owner);
  return <K extends string | null>(kind: string | null, key: K) =>
    (kind === 'device' && key !== null ? shown(key) : key) as K;
}
