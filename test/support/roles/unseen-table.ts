import type { Whole } from './callers.js';
import type { Fared } from './sightings.js';

const NO_KEY = { 'Me.account': 'hidden', 'Me.apiKey': 'hidden', 'Me.user': 'hidden' };

/** Where a score came from. */
const ORIGIN = {
  'Score.city': 'hidden',
  'Score.country': 'hidden',
  'Score.device': 'hidden',
  'Score.deviceId': 'hidden',
  'Score.scoreEvent': 'hidden',
  'Score.flags': 'hidden',
  'Score.scoreEventId': 'hidden',
  'Score.timeZone': 'hidden',
};

/** Nothing leads from a published score to its player, or to the board as its studio sees it. */
const PUBLISHED = { ...ORIGIN, 'Score.board': 'FORBIDDEN', 'Score.identity': 'hidden' };

/** Fields of a watched board that visitors do not see. */
const WATCHED = {
  'BoardChange.board': 'hidden',
  'RankChange.displayRank': 'hidden',
  'RankChange.identity': 'hidden',
  // For a score of the test population.
  'RankChange.playerName': 'hidden',
  'RankChange.rank': 'hidden',
  'RankChange.value': 'hidden',
};

const REFUSED_OF_BOARDS = {
  'Board.activity': 'API_KEY_REQUIRED',
  'Board.distribution': 'API_KEY_REQUIRED',
  'Board.states': 'API_KEY_REQUIRED',
  'Board.submissionMetadata': 'API_KEY_REQUIRED',
  'Board.template': 'API_KEY_REQUIRED',
};
const REFUSED_OF_GAMES = {
  'Game.boardTemplates': 'API_KEY_REQUIRED',
  'Game.devices': 'API_KEY_REQUIRED',
  'Game.identities': 'API_KEY_REQUIRED',
};
const REFUSED_OF_PLAYERS = {
  'Identity.boardStates': 'API_KEY_REQUIRED',
  'Identity.devices': 'API_KEY_REQUIRED',
  'Identity.events': 'API_KEY_REQUIRED',
  'Identity.flags': 'API_KEY_REQUIRED',
  'Identity.submissionMetadata': 'API_KEY_REQUIRED',
};
const REFUSED_TO_CLIENTS = { ...REFUSED_OF_GAMES, ...REFUSED_OF_PLAYERS };

/**
 * Fields not visible to callers who can see the record: `hidden` if an administrator or superadmin sees a value, or
 * the code of the refusal. `hidden, shown`: depends on whether the record is another caller's or their own.
 */
export const UNSEEN: Record<Whole, Record<string, Fared>> = {
  visitor: { ...PUBLISHED, ...WATCHED },
  player: {
    ...NO_KEY,
    ...ORIGIN,
    ...REFUSED_TO_CLIENTS,
    ...REFUSED_OF_BOARDS,
    'Game.account': 'API_KEY_REQUIRED',
    'Game.antiCheatSettings': 'hidden',
    'Identity.externalKey': 'hidden',
    'Identity.trustTier': 'hidden',
    'Identity.trustTierReason': 'hidden',
    'ScoreEvent.flags': 'API_KEY_REQUIRED',
  },
  sibling: {
    ...NO_KEY,
    ...PUBLISHED,
    ...WATCHED,
    ...REFUSED_TO_CLIENTS,
    ...REFUSED_OF_BOARDS,
    'Board.ranking': 'FORBIDDEN',
    'Board.scores': 'FORBIDDEN',
    'Game.account': 'API_KEY_REQUIRED',
    'Game.antiCheatSettings': 'hidden',
    'Game.platformAppId': 'hidden',
  },
  stranger: {
    ...NO_KEY,
    ...PUBLISHED,
    ...WATCHED,
    ...REFUSED_TO_CLIENTS,
    ...REFUSED_OF_BOARDS,
    'Game.antiCheatSettings': 'hidden',
  },
  // The operator acting for the service itself.
  admin: { 'AuditEntry.user': 'hidden, shown' },
  rival: {
    ...PUBLISHED,
    ...WATCHED,
    'Score.city': 'hidden, shown',
    'Score.country': 'hidden, shown',
    'Score.deviceId': 'hidden, shown',
    'Score.scoreEventId': 'hidden, shown',
    'Score.timeZone': 'hidden, shown',
  },
  superadmin: {},
};

/** The fields refused to a caller; with an invalid credential, those refused to visitors. */
export function refusedTo(caller: string): string[] {
  const fared = Object.entries(UNSEEN[caller as Whole] ?? UNSEEN.visitor);
  return fared.filter(([, how]) => /^[A-Z_]+$/.test(how)).map(([field]) => field);
}
