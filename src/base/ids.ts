import { createHash, randomFillSync, randomInt } from 'node:crypto';

/** Identifier prefixes by kind of record. */
export const prefixes = {
  account: 'acc',
  user: 'usr',
  apiKey: 'key',
  game: 'gam',
  board: 'brd',
  ratioConfig: 'brc',
  boardState: 'bst',
  boardTemplate: 'tpl',
  score: 'scr',
  scoreEvent: 'sev',
  scoreFlag: 'flg',
  scoreImport: 'imp',
  submissionRecord: 'sub',
  device: 'dev',
  deviceSession: 'ses',
  identity: 'ide',
  verification: 'ver',
  jamCode: 'jam',
  redemption: 'red',
  auditEntry: 'aud',
  identityReview: 'rev',
  webhookEndpoint: 'whk',
  webhookDelivery: 'dlv',
  passkey: 'psk',
  identityProvider: 'idp',
  providerLink: 'lnk',
  comment: 'cmt',
  closing: 'cls',
  reward: 'rwd',
  alert: 'alr',
  playerProvider: 'ppr',
  playerMerge: 'mrg',
  verificationPass: 'vps',
} as const;

export type IdKind = keyof typeof prefixes;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Pattern of an id of any kind. */
export const ID_OF_ANY_KIND = `^(${Object.values(prefixes).join('|')})_${UUID.source.slice(1)}`;

/** The nil UUID: the player of placeholders in around windows. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * A UUIDv7 (RFC 9562): 48 bits of milliseconds, then randomness, so that ids sort by time and B-tree inserts stay
 * local. Within one millisecond the next 12 bits count up, which keeps the ids of one process in order.
 */
export function uuid7(now?: number): string {
  return uuidText(uuid7Bytes(now));
}

/** A UUIDv8 made of texts: the same ones give the same id. */
export function uuidFrom(...parts: string[]): string {
  const bytes = createHash('sha256').update(parts.join('\n')).digest().subarray(0, 16);
  bytes[6] = 0x80 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return uuidText(bytes);
}

/** Randomness for 256 ids, because a call for 16 bytes takes longer than all else of an id. No byte is used twice. */
const randomness = Buffer.alloc(4_096);
let used = randomness.length;

function randomBytesOfId(): Buffer {
  if (used === randomness.length) {
    randomFillSync(randomness);
    used = 0;
  }
  used += 16;
  return Buffer.from(randomness.subarray(used - 16, used));
}

/** The 16 bytes of {@link uuid7}. */
export function uuid7Bytes(now: number = Date.now()): Buffer {
  const bytes = randomBytesOfId();
  if (now > lastMillis) {
    lastMillis = now;
    counter = bytes.readUInt16BE(6) & 0x7ff;
  } else {
    counter += 1;
    if (counter > 0xfff) {
      lastMillis += 1;
      counter = 0;
    }
  }
  bytes.writeUIntBE(lastMillis, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes;
}

const DIGITS = Buffer.from('0123456789abcdef');
const DASHES = new Set([4, 6, 8, 10]);
const spelled = Buffer.alloc(36, '-');

/**
 * Returns the uuid of 16 bytes or more in its usual spelling. Not concatenated: a concatenated string references all of
 * its pieces, half a kilobyte, for as long as it is cached.
 */
export function uuidText(bytes: Uint8Array): string {
  let at = 0;
  for (let i = 0; i < 16; i += 1) {
    if (DASHES.has(i)) at += 1;
    spelled[at] = DIGITS[bytes[i]! >> 4]!;
    spelled[at + 1] = DIGITS[bytes[i]! & 15]!;
    at += 2;
  }
  return spelled.toString('latin1');
}

let lastMillis = 0;
let counter = 0;

/** Returns `brd_<uuid>` for the database's uuid. */
export function idOf(kind: IdKind, uuid: string): string {
  return `${prefixes[kind]}_${uuid}`;
}

/** Returns the uuid of a valid prefixed id. All prefixes are three letters and an underscore. */
export function uuidOf(id: string): string {
  return id.slice(4);
}

/** True if `text` is a well-formed id of this kind. Upper-case hex is refused: one record has one spelling. */
export function isId(kind: IdKind, text: unknown): text is string {
  return typeof text === 'string' && text.startsWith(`${prefixes[kind]}_`) && UUID.test(text.slice(4));
}

const kinds = new Map(Object.entries(prefixes).map(([kind, prefix]) => [prefix, kind as IdKind]));

/** Returns the kind of a well-formed id, otherwise undefined. */
export function kindOf(id: string): IdKind | undefined {
  const kind = kinds.get(id.slice(0, 3) as (typeof prefixes)[IdKind]);
  return kind && isId(kind, id) ? kind : undefined;
}

/** Without letters and digits that look alike: 32 characters, 5 bits each. */
export const TYPED_CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** A random code that a person reads and types. */
export function typedCode(length: number): string {
  return Array.from({ length }, () => TYPED_CODE_ALPHABET[randomInt(TYPED_CODE_ALPHABET.length)]).join('');
}
