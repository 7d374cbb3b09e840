import type { PlayerProviderKind } from '../../generated/graphql.js';

// Apart from the others: the first view has no providers.

export const PROVIDER_TEXTS = {
  title: 'Player sign-in',
  lead: 'Players who sign in with one of these are the same player on every device.',
  create: 'Add provider',
  empty:
    'No providers yet. Add Steam, Apple, Google or your own login, and players keep their runs on every device.',
  kind: 'Kind',
  kinds: {
    OIDC: 'OpenID Connect',
    SIGNED: 'Your own login',
    STEAM: 'Steam',
    GAME_CENTER: 'Game Center',
    PLAY_GAMES: 'Google Play Games',
    DISCORD: 'Discord',
  } satisfies Record<PlayerProviderKind, string>,
  kindHints: {
    OIDC: 'ID tokens of Apple, Google, Epic, Firebase, Auth0 or your own issuer.',
    SIGNED: 'Tokens that your own login signs with a key you paste here.',
    STEAM: 'Tickets of GetAuthTicketForWebApi.',
    GAME_CENTER: 'Signatures of Game Center on Apple devices.',
    PLAY_GAMES: 'Server auth codes of Google Play Games.',
    DISCORD: 'Authorization codes of Discord.',
  } satisfies Record<PlayerProviderKind, string>,
  slug: 'Name in the game',
  slugHint: 'What your game sends as provider: apple, steam, login. It can’t change.',
  issuer: 'Issuer',
  issuerHint: {
    OIDC: 'https://appleid.apple.com or https://accounts.google.com, for example.',
    SIGNED: 'Leave empty if your tokens name none.',
  },
  keysUrl: 'Address of the keys',
  keysUrlHint: 'Leave empty if the issuer publishes its metadata.',
  audiences: { OIDC: 'Client ids', SIGNED: 'Audience', GAME_CENTER: 'Bundle ids' } as Partial<
    Record<PlayerProviderKind, string>
  >,
  audiencesHint: 'Separated by commas. A token has to be for one of them.',
  clientId: { STEAM: 'App id', PLAY_GAMES: 'Client id', DISCORD: 'Client id' } as Partial<
    Record<PlayerProviderKind, string>
  >,
  publicKey: 'Public key',
  publicKeyHint: 'PEM of an RSA, P-256 or Ed25519 key. Without one, the secret signs your tokens.',
  secret: {
    SIGNED: 'Shared secret',
    STEAM: 'Web API key of the publisher',
    PLAY_GAMES: 'Client secret',
    DISCORD: 'Client secret',
  } as Partial<Record<PlayerProviderKind, string>>,
  secretHint: 'Stored encrypted and never shown.',
  secretKept: 'Leave empty to keep the present one.',
  redirectUrl: 'Redirect address',
  redirectUrlHint: 'The one your game got its code with, if any.',
  steamIdentity: 'Identity',
  steamIdentityHint:
    'The text your game passes to GetAuthTicketForWebApi, so that tickets for other sites are refused.',
  allowBorrowed: 'Accept players of a copy that was lent to them (Family Sharing)',
  trustTier: 'Trust tier of proven players',
  noTier: 'unchanged',
  refused: 'Last refusal',
  noRefusal: 'none',
  playersMerge: 'Two players of one person',
  playersMergeHint:
    'Players may merge themselves when both are theirs, at most once a day (onConflict: MERGE)',
  actionsOf: (slug: string) => `More for ${slug}`,
  edit: 'Edit',
  delete: 'Delete',
  saved: 'Provider saved',
  created: (slug: string) => `Provider ${slug} added. Test it with a token of your game.`,
  deleted: (slug: string) => `Provider ${slug} deleted`,
  test: 'Test',
  testOf: (slug: string) => `Test ${slug}`,
  testHint:
    'Paste what your game would send. Nothing is stored, and a token isn’t used up; an authorization code is, by its provider.',
  token: 'Token',
  check: 'Check token',
  accepted: (subject: string) => `Accepted. It proves the account ${subject}.`,
  rejected: (reason: string) => `Refused: ${reason}`,
};
