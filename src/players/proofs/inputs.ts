import { Field, ID, InputType } from 'type-graphql';
import { isId } from '../../base/ids.js';
import { enumOf } from '../../graphql/enums.js';
import { IsSlug, Rule } from '../../graphql/rules.js';
import { IsProofToken } from '../providers/token.js';

export const ProofConflict = enumOf(
  'ProofConflict',
  'What happens if the session has a player with runs, and the proof or link code belongs to another one.',
  {
    switch: 'The session becomes that of the player of the proof or code. The other one stays as it is.',
    merge:
      'The session becomes that of the player of the proof or code, and all runs of the other one count for it. Only where the game ' +
      'has `playersMerge`, at most once a day a player. The other one needs a fresh proof, too: one of its own accounts, sent by this ' +
      'session within ten minutes, or, if it has none, a session started within ten minutes on the device that it began on. A start of ' +
      'a session goes on as SWITCH where that is missing, with `mergeRefused`.',
    refuse:
      'PLAYER_CONFLICT: nothing changes, and the proof or code can be sent again, except what PLAY_GAMES and DISCORD gave: their ' +
      'codes are used up.',
  },
);
export type ProofConflict = (typeof ProofConflict)[keyof typeof ProofConflict];

const MOST_BOARDS = 5;

/** Boards whose standings a refusal has. */
export function AreStandingsBoards(): PropertyDecorator {
  return Rule(
    'boards',
    `must be at most ${MOST_BOARDS} different ids like brd_<uuid>`,
    (value) =>
      Array.isArray(value) &&
      value.length <= MOST_BOARDS &&
      new Set(value).size === value.length &&
      value.every((id) => isId('board', id)),
    { maxItems: MOST_BOARDS },
  );
}

export const STANDINGS_BOARDS = {
  nullable: true,
  description: `With \`REFUSE\`: boards of the game, at most ${MOST_BOARDS}, whose standings of both players the refusal has.`,
};

@InputType({ description: "A provider's statement of who the player is." })
export class ProofInput {
  @IsSlug()
  @Field(() => String, { description: 'The slug of a provider of the game.' })
  provider!: string;

  @IsProofToken()
  @Field(() => String, {
    description:
      'An ID token (OIDC), a token of your own login (SIGNED), a ticket in hex (STEAM), a server auth code ' +
      '(PLAY_GAMES) or authorization code (DISCORD); for GAME_CENTER a JSON text with publicKeyUrl, signature, salt, ' +
      'timestamp, teamPlayerId and bundleId. Accepted once, and never stored.',
  })
  token!: string;

  @Field(() => ProofConflict, {
    defaultValue: 'switch',
    description:
      'What happens if the session has a player with runs, and the proof belongs to another. Default: `SWITCH`.',
  })
  onConflict!: ProofConflict;

  @AreStandingsBoards()
  @Field(() => [ID], STANDINGS_BOARDS)
  boardIds?: string[] | null;
}
