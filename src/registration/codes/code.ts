import { registerEnumType } from 'type-graphql';

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

/** How long a code of a registration is valid, and the token it is exchanged for. */
export const CODE_SECONDS = 600;
export const TOKEN_SECONDS = 600;
export const INVITE_SECONDS = 24 * 3_600;

/** More wrong tries than these end a code. */
export const MOST_TRIES = 5;

/** A row of verification_codes. Bare uuids. */
export interface CodeRow {
  id: string;
  email: string;
  type: VerificationType;
  user_id: string | null;
  code_hash: Buffer;
  attempts: number;
  status: 'pending' | 'used' | 'expired';
  expires_at: Date;
  token_hash: Buffer | null;
  token_expires_at: Date | null;
  completed_at: Date | null;
}
