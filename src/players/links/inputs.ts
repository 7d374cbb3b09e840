import { Field, ID, InputType } from 'type-graphql';
import { MaxLength } from '../../graphql/rules.js';
import { AreStandingsBoards, ProofConflict, STANDINGS_BOARDS } from '../proofs/inputs.js';
import { IsLinkCode, LINK_CODE_CHARACTERS } from './code.js';

const LONGEST_NONCE = 512;
const NONCE = { nullable: true, description: 'A nonce. Can be sent as a header instead.' };

@InputType({ description: 'A link code to make.' })
export class CreateLinkCodeInput {
  @MaxLength(LONGEST_NONCE)
  @Field(() => String, NONCE)
  nonce?: string | null;
}

@InputType({ description: 'A link code of another device.' })
export class RedeemLinkCodeInput {
  @IsLinkCode()
  @Field(() => String, {
    description: `The code, ${LINK_CODE_CHARACTERS} characters in either case; a blank or hyphen in the middle is ignored.`,
  })
  code!: string;

  @Field(() => ProofConflict, {
    defaultValue: 'switch',
    description:
      'What happens if the session has a player with runs, and the code belongs to another. Default: `SWITCH`.',
  })
  onConflict!: ProofConflict;

  @AreStandingsBoards()
  @Field(() => [ID], STANDINGS_BOARDS)
  boardIds?: string[] | null;

  @MaxLength(LONGEST_NONCE)
  @Field(() => String, NONCE)
  nonce?: string | null;
}

@InputType({ description: 'The device to unlink.' })
export class UnlinkDeviceInput {
  @MaxLength(LONGEST_NONCE)
  @Field(() => String, {
    nullable: true,
    description: 'Game clients: a nonce. Can be sent as a header instead.',
  })
  nonce?: string | null;
}
