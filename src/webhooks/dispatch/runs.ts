import type { Knex } from 'knex';
import { idOf, isId, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { RecordingAddresses } from '../../scores/recordings/address.js';
import type { WebhookEvent } from '../deliveries/event-row.js';

const ADDRESS_MINUTES = 24 * 60;

const RUNS = `
  select v.id, v.amount, v.metadata, v.created_at, k.bytes, k.sha256,
    case when r.event_seq is not null then json_build_object(
      'started_at', to_char(r.started_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'elapsed_ms', r.elapsed_ms,
      'idle_ms', r.idle_ms, 'run_ms', r.run_ms, 'splits', r.splits, 'seed', r.seed, 'game_version', r.game_version) end as run
  from score_events v join recordings k on k.board_id = v.board_id and k.event_seq = v.seq
  left join runs r on r.board_id = v.board_id and r.event_seq = v.seq
  where v.id = any(?::uuid[]) and k.bytes is not null`;

interface RunRow {
  id: string;
  amount: number;
  metadata: object | null;
  created_at: Date;
  bytes: number;
  sha256: Buffer;
  run: object | null;
}

/** A run to verify, as events have it. */
export interface ToldRun {
  value: number;
  metadata: object | null;
  submitted_at: string;
  run: object | null;
  recording: { url: string; bytes: number; hash: string };
}

/** The runs of these events that are to be verified, by their ids; those without a recording are left out. */
export async function readRuns(
  trx: Knex,
  events: readonly WebhookEvent[],
  addresses: RecordingAddresses,
  now: Date,
): Promise<Map<string, ToldRun>> {
  const ids = events.flatMap(({ type, subject }) =>
    type === 'run.verify' && isId('scoreEvent', subject.score_event_id)
      ? [uuidOf(subject.score_event_id)]
      : [],
  );
  if (ids.length === 0) return new Map();
  const { rows } = await runStatement<RunRow>(trx, RUNS, [ids]);
  return new Map(
    rows.map(({ id, amount, metadata, created_at, bytes, sha256, run }) => {
      const event = idOf('scoreEvent', id);
      const url = addresses.pathOf(event, now.getTime(), ADDRESS_MINUTES);
      const recording = { url, bytes, hash: sha256.toString('hex') };
      return [event, { value: amount, metadata, submitted_at: created_at.toISOString(), run, recording }];
    }),
  );
}
