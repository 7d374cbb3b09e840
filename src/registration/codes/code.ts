import { registerEnumType } from 'type-graphql';
import { Row } from '../../db/row.js';

export const VerificationType = { REGISTRATION: 'registration', INVITE: 'invite' } as const;
export type VerificationType = (typeof VerificationType)[keyof typeof VerificationType];

registerEnumType(VerificationType, {
  name: 'VerificationType',
  description: 'What a verified address is for.',
  valuesConfig: {
    REGISTRATION: { description: 'A new account.' },
    INVITE: { description: 'Joining the account that the invitation came from.' },
  },
});

/** Lifetime of a registration's code, and of the token it is exchanged for. */
export const CODE_SECONDS = 600;
export const TOKEN_SECONDS = 600;
export const INVITE_SECONDS = 24 * 3_600;

/** Number of wrong tries after which a code is void. */
export const MOST_TRIES = 5;

/** A code that was sent to an address, and the token it was exchanged for. Ids are bare uuids. */
export class VerificationCode extends Row {
  static override tableName = 'verification_codes';

  email!: string;
  type!: VerificationType;
  /** The invited user. */
  userId!: string | null;
  codeHash!: Buffer;
  attempts!: number;
  status!: 'pending' | 'used' | 'expired';
  /** Never sent and never valid: the address was over its limit. */
  withheld!: boolean;
  expiresAt!: Date;
  usedAt!: Date | null;
  tokenHash!: Buffer | null;
  tokenExpiresAt!: Date | null;
  completedAt!: Date | null;
}
