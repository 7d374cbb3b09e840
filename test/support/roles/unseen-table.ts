import type { Whole } from './callers.js';
import type { Fared } from './sightings.js';

const NO_KEY = {
  'Me.account': 'hidden',
  'Me.apiKey': 'hidden',
  'Me.apiKeyId': 'hidden',
  'Me.rights': 'hidden',
  'Me.role': 'hidden',
  'Me.user': 'hidden',
  'Me.userId': 'hidden',
};

const ORIGIN = { 'Entry.country': 'hidden', 'Entry.platform': 'hidden' };

/** Nothing leads from a published ranking to its players, or to the board as its studio sees it. */
const PUBLISHED = {
  ...ORIGIN,
  'BoardChange.board': 'hidden',
  'Entry.identity': 'hidden',
  'Entry.score': 'hidden',
  'RankChange.identity': 'hidden',
  'Ranking.board': 'hidden',
  'Ranking.distribution': 'hidden',
};

/** What only administrators read of a board and its game. */
const OF_ADMINISTRATORS = {
  'Board.account': 'hidden',
  'Board.activity': 'hidden',
  'Board.closings': 'hidden',
  'Board.history': 'hidden',
  'Board.scoreEvents': 'hidden',
  'Board.scoreFlags': 'hidden',
  'Board.scoreImports': 'hidden',
  'Board.states': 'hidden',
  'Board.submissionRecords': 'hidden',
  'Board.ticketFigures': 'hidden',
  'Board.verificationPasses': 'hidden',
  'Game.antiCheatDefaults': 'hidden',
  'Game.antiCheatSettings': 'hidden',
  'Game.boardTemplates': 'hidden',
  'Game.devices': 'hidden',
  'Game.identities': 'hidden',
  'Game.identityReviews': 'hidden',
  'Game.playerProviders': 'hidden',
  'Game.scoreFlags': 'hidden',
  'Ranking.distribution': 'hidden',
  'TicketSettings.clock': 'hidden',
};

/**
 * Fields not visible to callers who can see the record: `hidden` if an administrator or superadmin sees a value, or
 * the code of the refusal. `hidden, shown`: depends on whether the record is another caller's or their own.
 */
export const UNSEEN: Record<Whole, Record<string, Fared>> = {
  visitor: PUBLISHED,
  player: {
    ...NO_KEY,
    ...ORIGIN,
    ...OF_ADMINISTRATORS,
    'Board.createdFromTemplate': 'hidden',
    'Reward.account': 'hidden',
    'Reward.closing': 'hidden',
    'Game.account': 'hidden',
    'Game.history': 'hidden',
    'Identity.account': 'hidden',
    'Identity.actingDevices': 'hidden',
    'Identity.activity': 'hidden',
    'Identity.boardStates': 'hidden',
    'Identity.comments': 'hidden',
    'Identity.devices': 'hidden',
    'Identity.scoreEvents': 'hidden',
    'Identity.externalKey': 'hidden',
    'Identity.friends': 'hidden, shown',
    'Identity.merges': 'hidden',
    'Identity.reviews': 'hidden',
    'Identity.scoreFlags': 'hidden',
    'Identity.submissionRecords': 'hidden',
    'Identity.trustTier': 'hidden',
    'Identity.trustTierReason': 'hidden',
    'Score.account': 'hidden',
    'Score.city': 'hidden',
    'Score.country': 'hidden',
    'Score.device': 'hidden',
    'Score.deviceId': 'hidden',
    'Score.flags': 'hidden',
    'Score.scoreEvent': 'hidden',
    'Score.scoreEventId': 'hidden',
    'Score.timeZone': 'hidden',
  },
  sibling: {
    ...NO_KEY,
    ...PUBLISHED,
    ...OF_ADMINISTRATORS,
    'Board.ranking': 'hidden, shown',
    'Board.scores': 'hidden',
    'Game.account': 'hidden',
    'Game.history': 'hidden',
    'Game.platformAppId': 'hidden',
    'Ranking.board': 'hidden, shown',
  },
  stranger: { ...NO_KEY, ...PUBLISHED, ...OF_ADMINISTRATORS, 'Ranking.board': 'hidden, shown' },
  // The operator acting for the service itself.
  admin: {
    'AuditEntry.apiKey': 'hidden, shown',
    'AuditEntry.ipAddress': 'hidden, shown',
    'AuditEntry.user': 'hidden, shown',
    'IdentityReview.requestedBy': 'hidden, shown',
  },
  rival: {
    ...PUBLISHED,
    'AuditEntry.ipAddress': 'hidden',
    'Entry.country': 'hidden, shown',
    'Entry.platform': 'hidden, shown',
    'Ranking.board': 'hidden, shown',
    'Ranking.distribution': 'hidden, shown',
  },
  superadmin: {},
};

/** The fields refused to a caller; with an invalid credential, those refused to visitors. */
export function refusedTo(caller: string): string[] {
  const fared = Object.entries(UNSEEN[caller as Whole] ?? UNSEEN.visitor);
  return fared.filter(([, how]) => /^[A-Z_]+$/.test(how)).map(([field]) => field);
}
