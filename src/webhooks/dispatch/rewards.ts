import type { Knex } from 'knex';
import { idOf, isId, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { WebhookEvent } from '../deliveries/event-row.js';
import { boardOf, playerOf, type ToldBoard } from './standings.js';

/** Rewards that are read and told at once, whatever their number. */
const REWARDS_AT_ONCE = 2_000;

/** A reward as events have it. Bare uuids. */
interface ToldReward {
  id: string;
  closing_id: string;
  line: string;
  rank: number;
  shared_by: number | null;
  status: string;
  expires_at: Date | null;
  identity_id: string;
  player_name: string;
}

interface ToldPrizes {
  id: string;
  view_name: string;
  period_key: string;
  group_key: string;
  lines: { name: string; title: string; pictureUrl: string | null; grant: object }[] | null;
}

export interface ToldRewards {
  rewards: ReadonlyMap<string, ToldReward>;
  prizes: ReadonlyMap<string, ToldPrizes>;
}

const REWARDS = `
  select w.id, w.closing_id, w.line, w.rank, w.shared_by, w.status, w.expires_at, w.identity_id, i.display_name as player_name
  from rewards w join identities i on i.id = w.identity_id where w.id = any(?::uuid[])`;

const PRIZES = `
  select c.id, c.view_name, c.period_key, c.group_key, prizes_of(c) -> 'lines' as lines from closings c where c.id = any(?::uuid[])`;

/** The bare uuids of the rewards that an event is about. */
function rewardsIn({ subject: { reward_ids: ids } }: WebhookEvent): string[] {
  return Array.isArray(ids) ? ids.filter((id) => isId('reward', id)).map(uuidOf) : [];
}

/** As many of these events as are told together. */
export function toldTogether(events: readonly WebhookEvent[]): WebhookEvent[] {
  let left = REWARDS_AT_ONCE;
  const end = events.findIndex((event) => {
    left -= rewardsIn(event).length;
    return left < 0;
  });
  return end < 0 ? [...events] : events.slice(0, end);
}

/** The rewards that reported events are about, with their closings. */
export async function readRewards(trx: Knex, events: readonly WebhookEvent[]): Promise<ToldRewards> {
  const ids = events.flatMap(rewardsIn);
  if (ids.length === 0) return { rewards: new Map(), prizes: new Map() };
  const { rows } = await runStatement<ToldReward>(trx, REWARDS, [ids]);
  const closings = [...new Set(rows.map(({ closing_id }) => closing_id))];
  const prizes = await runStatement<ToldPrizes>(trx, PRIZES, [closings]);
  return {
    rewards: new Map(rows.map((row) => [row.id, row])),
    prizes: new Map(prizes.rows.map((row) => [row.id, row])),
  };
}

/** What an event of rewards tells; undefined: it is about none, or they are gone. */
export function toldRewards(event: WebhookEvent, board: ToldBoard, { rewards, prizes }: ToldRewards) {
  const rows = rewardsIn(event).flatMap((id) => rewards.get(id) ?? []);
  const closing = rows[0] && prizes.get(rows[0].closing_id);
  if (!closing) return undefined;
  const named = new Set(rows.map(({ line }) => line));
  const lines = (closing.lines ?? []).filter(({ name }) => named.has(name));
  const data = {
    board: boardOf(board),
    closing_id: idOf('closing', closing.id),
    ...{
      view: closing.view_name || null,
      period: closing.period_key || null,
      group: closing.group_key || null,
    },
    lines: lines.map(({ name, title, pictureUrl, grant }) => ({
      name,
      title,
      picture_url: pictureUrl,
      grant,
    })),
    rewards: rows.map(({ id, line, identity_id, player_name, rank, shared_by, status, expires_at }) => ({
      ...{ reward_id: idOf('reward', id), line, player: playerOf(identity_id, player_name), rank },
      ...{ shared_by, status, expires_at: expires_at?.toISOString() ?? null },
    })),
  };
  return { data, players: [...new Set(rows.map(({ identity_id }) => identity_id))] };
}
