/** Titles of operations whose name doesn't say what they do. */
export const TITLES: Record<string, string> = {
  consoleCode: 'Send a sign-in code for the console',
  consoleSignIn: 'Sign in to the console',
  createScoreEvent: 'Submit a score from a game server',
  createScoreEvents: 'Submit scores from a game server',
  createScoreFlag: 'Flag a submission',
  entrance: 'List all parts of the service',
  getAccountHistory: 'Get the history of an account',
  getBoardHistory: 'Get the history of a board',
  getClientMe: "Get the session's player",
  getGameHistory: 'Get the history of a game',
  getIdentityErasure: 'Get or preview an erasure',
  getMe: 'Get the caller',
  getStanding: "Get a player's standing",
  getStandingForClient: "Get a player's standing, as a game client",
  graphqlSchema: 'Get the GraphQL schema',
  health: 'Check readiness, under /v1',
  listClientScoresAmong: 'List scores among players, as a game client',
  listScoresAmong: 'List scores among players',
  live: 'Check liveness',
  metrics: 'Get metrics',
  openapi: 'Get the OpenAPI document',
  ready: 'Check readiness',
  registerComplete: 'Complete a registration or an invitation',
  registerInitiate: 'Start a registration',
  registerResend: 'Send a new code',
  registerVerify: 'Verify an email address',
  reviewIdentity: 'Review all runs of a player or device',
  unlinkOwnDevice: 'Unlink a device, as a game client',
  updateIdentityReview: 'Undo a review of all runs',
  updatePlayerMerge: 'Undo a merge of players',
  watchOvertaken: 'Watch who overtakes the player',
  watchPlayer: "Watch the session's player",
  watchRank: 'Watch ranks of players',
};

/** Returns what an operation does in a few words. Its name has them: `submitScore` is "Submit a score". */
export function titleOf(operationId: string): string {
  const given = TITLES[operationId];
  if (given !== undefined) return given;
  const words = operationId.replace(/(For)?Client/, '').split(/(?=[A-Z])/);
  const [verb = '', ...noun] = words.map((word) => word.toLowerCase().replace(/^api$/, 'API'));
  const isMany = /([^s]s|Metadata)$/.test(words.at(-1)!);
  const article = /^([aeio]|API)/.test(noun[0] ?? '') ? 'an' : 'a';
  const title = [verb[0]!.toUpperCase() + verb.slice(1), ...(isMany ? [] : [article]), ...noun].join(' ');
  return /Client/.test(operationId) ? `${title}, as a game client` : title;
}
