import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { typedCode } from '../../base/ids.js';
import { Row } from '../../db/row.js';
import { enumOf } from '../../graphql/enums.js';

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

/** Lifetime of the link in a mail: of all mails of an hour and of those that had to wait for it, one always opens. */
const LINK_SECONDS = 7_200;

/** Wrong tries of a code by the browser that requested it, and by each network: those of one end it for no other. */
export const MOST_TRIES = 5;
/** Those of all networks but the requester's, so that many networks together guess no better. Links are not concerned. */
export const MOST_TRIES_OF_OTHERS = 20;

/** A code that was sent to an address, and the token it was exchanged for. Ids are bare uuids. */
export class VerificationCode extends Row {
  static override tableName = 'verification_codes';

  email!: string;
  type!: CodeType;
  /** The invited user, or the one that signs in. */
  userId!: string | null;
  codeHash!: Buffer;
  /** Hashes like `network`, one of each wrong try without the token of its request. */
  wrongFrom!: Buffer[];
  /** Wrong tries with it. */
  ownAttempts!: number;
  /** Hash of address and network of the requester; null: an account invited. */
  network!: Buffer | null;
  status!: 'pending' | 'used' | 'expired';
  /** Never sent and never valid: the address has its mails of the hour, or nobody who may register or sign in. */
  withheld!: boolean;
  expiresAt!: Date;
  usedAt!: Date | null;
  tokenHash!: Buffer | null;
  tokenExpiresAt!: Date | null;
  completedAt!: Date | null;
}

/** When the link of a code's mail ends: codes that are replaced or used up by wrong tries keep it. */
export function linkEndsAt({ type, expiresAt, createdAt }: VerificationCode): Date {
  return type === 'invite' ? expiresAt : new Date(createdAt.getTime() + LINK_SECONDS * 1_000);
}

/** 30 bits. */
export const CODE_LENGTH = 6;

const TOKEN_BYTES = 32;

/** A random code that a person reads in a mail and types. */
export function generateCode(): string {
  return typedCode(CODE_LENGTH);
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

const ID_BYTES = 16;
/** Characters of the code in a link. */
export const LINK_CODE_LENGTH = 64;

function linkProof(secret: string, id: string): Buffer {
  return createHmac('sha256', secret).update(`code of a link\0${id}`).digest();
}

/** The code in a mail's link, which cannot be guessed: the id of the code's record and a proof of 32 bytes, in base64url. */
export function linkCode(secret: string, id: string): string {
  const bare = Buffer.from(id.replaceAll('-', ''), 'hex');
  return Buffer.concat([bare, linkProof(secret, id)]).toString('base64url');
}

/** @returns the id of the code's record; undefined: it was never sent */
export function idOfLinkCode(secret: string, text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64url');
  const hex = bytes.subarray(0, ID_BYTES).toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return sameHash(bytes.subarray(ID_BYTES), linkProof(secret, id)) ? id : undefined;
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
