/** Every event that an endpoint can ask for, with what it reports. */
export const EVENT_TYPES = {
  'board.opened': 'A board takes submissions for the first time.',
  'board.closing': 'A board ends soon, `closing_minutes` ahead.',
  'board.closed': 'A board has ended or was closed.',
  'board.leader_changed': 'Another player is first, reported once in `leader_seconds` at most.',
  'ranking.settling': 'A board or a period has ended; reviews still change its ranking.',
  'ranking.closed': 'The places of a board or period are fixed.',
  'reward.granted': 'Rewards of a closing were granted, at most 100 in a message.',
  'reward.claimed': 'A player has claimed a reward.',
  'reward.expired': 'Rewards have expired unclaimed, at most 100 in a message.',
  'reward.revoked': 'Rewards were revoked.',
  'player.overtaken':
    'A player among the first `overtaken_top` ranks was overtaken, or any player by a friend.',
  'score.flagged': 'A run was flagged.',
  'score.held': 'A flagged run waits for a review before it is ranked.',
  'score.reviewed': 'A flag was reviewed.',
  'run.verify': 'The recording of a run is stored: play it again and give a verdict.',
  'runs.reviewed': 'All runs of a player or a device were reviewed, or such a review was undone.',
  'alert.raised': 'The median of a board has jumped, or a game has got a burst of new players.',
  'device.banned': 'A device was banned.',
  'player.proven': 'A player has proven who they are, by a provider that had not proven them before.',
  'player.merged': 'All runs of a player count for another one.',
  'player.unmerged': 'A merge of players was undone.',
  'player.erased': 'A player’s personal data was erased. Erase it on your side, too.',
  'import.finished': 'An import has ended; its scores are ranked.',
  'template.failed': 'A template could not create its board.',
  'key.created': 'An API key was created.',
  'key.revoked': 'An API key was revoked or deleted.',
  'user.invited': 'A person was invited to the account.',
  'endpoint.disabled': 'The service has disabled a webhook endpoint.',
} as const;

export type EventType = keyof typeof EVENT_TYPES;

/** Sent on request, whatever an endpoint asks for. */
export const TEST_EVENT = 'endpoint.test';

export const EVENT_NAMES = Object.keys(EVENT_TYPES) as EventType[];
