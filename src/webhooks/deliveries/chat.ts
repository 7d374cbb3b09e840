import type { EventType, TEST_EVENT } from '../events/event-types.js';

type Facts = Record<string, unknown>;

/** Discord's messages have at most 2,000 characters. */
const LONGEST_MESSAGE = 1_900;

const LINES: Readonly<Record<EventType | typeof TEST_EVENT, (data: Facts) => string>> = {
  'board.opened': (data) => `${board(data)} is open.`,
  'board.closing': (data) => `${board(data)} ends at ${data.ends_at}.`,
  'board.closed': (data) => [`${board(data)} has ended. ${players(data)}.`, ...podium(data)].join('\n'),
  'board.leader_changed': (data) =>
    data.leader ? `${entry(data.leader)} leads ${board(data)}.` : `${board(data)} has no leader any more.`,
  'ranking.settling': (data) =>
    `${ranking(data)} has ended. Its places are fixed from ${data.settles_at} on.`,
  'ranking.closed': (data) =>
    [`The places of ${ranking(data)} are fixed. ${players(data)}.`, ...podium(data)].join('\n'),
  'reward.granted': (data) => rewards(data, 'granted'),
  'reward.claimed': (data) => rewards(data, 'claimed'),
  'reward.expired': (data) => rewards(data, 'not claimed in time'),
  'reward.revoked': (data) => rewards(data, 'revoked'),
  'player.overtaken': (data) =>
    `${entry(data.overtaken)} was overtaken by ${entry(data.by)} on ${board(data)}.`,
  'score.flagged': (data) =>
    `A run of ${name(data.player)} on ${board(data)} was flagged: ${data.flag_type}.`,
  'score.held': (data) => `A run of ${name(data.player)} on ${board(data)} waits for a review.`,
  'score.reviewed': (data) => `A flag on ${board(data)} was reviewed: ${data.status}.`,
  'run.verify': (data) => `A run of ${name(data.player)} on ${board(data)} is to be verified.`,
  'runs.reviewed': (data) =>
    `All runs of a player were reviewed: ${data.decision}${data.undone ? ', undone' : ''}.`,
  'alert.raised': (data) =>
    data.kind === 'median_jump'
      ? `The median of ${board(data)} has jumped within an hour.`
      : 'A game has got a burst of new players.',
  'device.banned': () => 'A device was banned.',
  'player.proven': (data) => `${name(data.player)} has signed in with ${data.provider}.`,
  'player.merged': () => 'Two players were merged.',
  'player.unmerged': () => 'A merge of players was undone.',
  'player.erased': () => 'A player was erased.',
  'import.finished': (data) => `An import into ${board(data)} has ended: ${data.rows} rows.`,
  'template.failed': (data) => `The template ${data.name} failed: ${data.error}`,
  'key.created': () => 'An API key was created.',
  'key.revoked': () => 'An API key was revoked.',
  'user.invited': () => 'A person was invited.',
  'endpoint.disabled': (data) => `The webhook endpoint ${data.name} was disabled: ${data.reason}`,
  'endpoint.test': () => 'This is a test of the webhook.',
};

const name = (thing: unknown) => String((thing as Facts | null)?.name ?? 'a player');
const board = ({ board: about }: Facts) => String((about as Facts | null)?.name ?? 'A board');

const players = ({ total }: Facts) => (total === 1 ? '1 player' : `${total} players`);

/** A board, or a period and a group of one of its views. */
function ranking(data: Facts): string {
  const parts = [data.view, data.period, data.group].filter((part) => part != null);
  return parts.length > 0 ? `${board(data)} (${parts.join(', ')})` : board(data);
}

function rewards(data: Facts, what: string): string {
  const all = (data.rewards ?? []) as Facts[];
  const titles = new Map(((data.lines ?? []) as Facts[]).map((line) => [line.name, line.title]));
  if (all.length > 1) return `${all.length} rewards of ${ranking(data)} were ${what}.`;
  const one = all[0] ?? {};
  return `A reward of ${ranking(data)} was ${what}: ${titles.get(one.line) ?? one.line}, ${name(one.player)}.`;
}

function entry(line: unknown): string {
  const { player, value_text: text, value } = (line ?? {}) as Facts;
  return `${name(player)} (${text ?? value})`;
}

function podium({ podium: entries }: Facts): string[] {
  return ((entries ?? []) as Facts[]).map((one) => `${one.rank}. ${entry(one)}`);
}

/** Names are written by players: nothing in them may be formatted, mention anybody or lead anywhere. */
function plainForDiscord(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<@:/-]/g, (sign) => (sign === '@' ? '@\u200b' : `\\${sign}`));
}

function plainForSlack(text: string): string {
  const marks = text.replace(/[*_~`@]/g, (sign) => `${sign}\u200b`);
  return marks
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/:\/\//g, ':\u200b//');
}

/** An event as a message for people. */
export function chatBody(format: 'discord' | 'slack', type: string, data: Facts): object {
  const line = LINES[type as EventType] as ((data: Facts) => string) | undefined;
  const text = (line?.(data) ?? type).slice(0, LONGEST_MESSAGE);
  if (format === 'slack') return { text: plainForSlack(text), unfurl_links: false, unfurl_media: false };
  return { content: plainForDiscord(text).slice(0, 2_000), allowed_mentions: { parse: [] } };
}
