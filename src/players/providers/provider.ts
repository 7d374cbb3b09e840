import { TrustTier } from '../../games/trust-tier.js';
import { enumOf } from '../../graphql/enums.js';
import { kind } from '../../graphql/records/kinds.js';
import {
  asked,
  type Created,
  changeInput,
  createdAt,
  fixed,
  idField,
  made,
  maybe,
  newInput,
  preset,
  RecordType,
  required,
  rowOf,
  type Updated,
  updatedAt,
} from '../../graphql/records/record.js';
import { audiences, keyText } from './fields.js';

export const PlayerProviderKind = enumOf('PlayerProviderKind', 'How a provider proves who a player is.', {
  oidc: 'ID tokens of an OpenID Connect issuer: Apple, Google, Epic, Firebase, Unity, Auth0, your own.',
  signed: 'Tokens that your own login signs, with a key that you give.',
  steam: 'Session tickets of Steam.',
  game_center: 'Signatures of Game Center.',
  play_games: 'Server auth codes of Google Play Games.',
  discord: 'Authorization codes of Discord.',
});
export type PlayerProviderKind = (typeof PlayerProviderKind)[keyof typeof PlayerProviderKind];

export const playerProviderFields = {
  id: idField('playerProvider'),
  accountId: fixed(required(kind.idOf('account'), 'The account it belongs to.')),
  gameId: fixed(required(kind.idOf('game'), 'The game whose players it proves.')),
  kind: fixed(required(kind.oneOf(PlayerProviderKind), 'How it proves who a player is. Never changes.')),
  slug: fixed(
    required(
      kind.slug,
      'Its name within the game, which clients send as `provider`. Never changes: `apple`, `steam`.',
    ),
  ),
  issuer: maybe(
    kind.issuerUrl,
    'Issuer of the tokens. Required for OIDC; for SIGNED, null accepts tokens of any issuer.',
  ),
  keysUrl: maybe(kind.issuerUrl, 'Address of the key set of an OIDC issuer. Null: as its metadata say.'),
  publicKey: maybe(
    keyText,
    'For SIGNED: the public key (RSA of 2,048 bits or more, P-256 or Ed25519). Null: `secret` signs tokens (HS256).',
  ),
  audiences: preset(
    audiences,
    [],
    'Whom tokens must be for, one is enough: client ids (OIDC), a text of yours (SIGNED), bundle ids (GAME_CENTER).',
  ),
  clientId: maybe(kind.clientText, 'Client id (PLAY_GAMES, DISCORD), or app id (STEAM).'),
  secret: asked(
    kind.orNull(kind.clientText),
    'Client secret (PLAY_GAMES, DISCORD), Web API key of the publisher (STEAM), or shared secret of 32 ' +
      'characters or more (SIGNED). Never returned.',
  ),
  redirectUrl: maybe(
    kind.issuerUrl,
    'For DISCORD and PLAY_GAMES: the redirect address that the game got its code with. Null: none.',
  ),
  steamIdentity: maybe(
    kind.clientText,
    'For STEAM: the `identity` that the game gives to GetAuthTicketForWebApi. Required, because tickets for ' +
      'other services would pass without.',
  ),
  allowBorrowed: preset(
    kind.flag,
    true,
    'For STEAM: false refuses players of a copy that is lent to them by Family Sharing. Players are themselves, never the lender.',
  ),
  trustTier: maybe(
    kind.oneOf(TrustTier),
    'Trust tier that a player without one gets with the first proof. Null: none.',
  ),
  lastRefusal: made(
    kind.orNull(kind.text),
    'Why the latest refused proof was refused; noted every 10 seconds at most. Players are told less. Null: none was.',
  ),
  lastRefusedAt: made(kind.orNull(kind.moment), 'When that was.'),
  createdAt,
  updatedAt,
};

@RecordType(playerProviderFields, 'Who vouches for the players of a game.')
export class PlayerProvider extends rowOf(playerProviderFields) {
  static override tableName = 'player_providers';
  static override unaudited = ['sealedSecret', 'lastRefusal', 'lastRefusedAt'];

  /** Encrypted (Seal). */
  sealedSecret!: Buffer | null;
}

export const CreatePlayerProviderInput = newInput(
  'CreatePlayerProviderInput',
  'A new provider of a game.',
  playerProviderFields,
);
export type CreatePlayerProviderInput = Created<typeof playerProviderFields>;

export const UpdatePlayerProviderInput = changeInput(
  'UpdatePlayerProviderInput',
  'Changes to a provider. Absent fields stay unchanged. Null clears optional fields.',
  playerProviderFields,
);
export type UpdatePlayerProviderInput = Updated<typeof playerProviderFields> & { deleted?: boolean };
