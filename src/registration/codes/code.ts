import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Row } from '../../db/row.js';
import { enumOf } from '../../graphql/records/kinds.js';

export const VerificationType = enumOf('VerificationType', 'The purpose of an address verification.', {
  registration: 'A new account.',
  invite: 'Joining the account that the invitation came from.',
});
export type VerificationType = (typeof VerificationType)[keyof typeof VerificationType];

/** The purposes of codes: those of registrations, and signing in to the console. */
export type CodeType = VerificationType | 'sign_in';

/** Lifetime of a registration's code, and of the token it is exchanged for. */
export const CODE_SECONDS = 600;
export const TOKEN_SECONDS = 600;
export const INVITE_SECONDS = 24 * 3_600;

/**
 * Wrong tries after which a code is void: those of the browser that requested it, and apart from them those of others,
 * who can then only end it for themselves.
 */
export const MOST_TRIES = 5;

/** A code that was sent to an address, and the token it was exchanged for. Ids are bare uuids. */
export class VerificationCode extends Row {
  static override tableName = 'verification_codes';

  email!: string;
  type!: CodeType;
  /** The invited user, or the one that signs in. */
  userId!: string | null;
  codeHash!: Buffer;
  /** Wrong tries without the token of its request. */
  attempts!: number;
  /** Wrong tries with it. */
  ownAttempts!: number;
  /** Hash of address and network of the requester; null: requested from a process of the version before. */
  network!: Buffer | null;
  status!: 'pending' | 'used' | 'expired';
  /** Never sent and never valid: the address was over its limit, or has no user that may sign in. */
  withheld!: boolean;
  expiresAt!: Date;
  usedAt!: Date | null;
  tokenHash!: Buffer | null;
  tokenExpiresAt!: Date | null;
  completedAt!: Date | null;
}

/** Alphabet without letters and digits that look alike: 32 characters, 30 bits a code. */
const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
export const CODE_LENGTH = 6;

const TOKEN_BYTES = 32;

/** A random code that a person reads in a mail and types. */
export function generateCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
}

/** A verification token: 43 URL-safe characters of 32 random bytes. */
export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The stored form of a code. Bound to its address: equal codes of two addresses have different hashes. */
export function hashCode(secret: string, email: string, code: string): Buffer {
  return createHmac('sha256', secret).update(`code\0${email}\0${code.toUpperCase()}`).digest();
}

export function hashToken(secret: string, token: string): Buffer {
  return createHmac('sha256', secret).update(`verification token\0${token}`).digest();
}

/** The requester's network as it is stored: equal only for equal addresses of mail. @param network see subscriberOf */
export function hashNetwork(secret: string, email: string, network: string): Buffer {
  return createHmac('sha256', secret).update(`network\0${email}\0${network}`).digest();
}

/** The token that only the requester of a code gets: 43 URL-safe characters, derived from the code's record. */
export function requestToken(secret: string, id: string): string {
  return createHmac('sha256', secret).update(`code request\0${id}`).digest('base64url');
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
