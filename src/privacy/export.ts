import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type pg from 'pg';
import { type IdKind, idOf, NIL_UUID } from '../base/ids.js';
import type { OpenExport } from '../base/transfer/exported.js';
import type { Database } from '../db/pool.js';
import type { Context } from '../graphql/context.js';
import { playersAsOne } from '../players/merges/read.js';
import { CHUNK_ROWS } from '../scores/exports/source.js';
import { subjectOf } from './erase.js';
import { lacksBucket, refuseObjects } from './recorded.js';

/** One record about a player: `record` is its kind, ids have their prefix. */
type StoredRecord = { record: string } & Record<string, unknown>;

type RawRecord = Record<string, unknown>;

/** Kinds of ids by column. */
const ID_KINDS: Record<string, IdKind> = {
  account_id: 'account',
  game_id: 'game',
  board_id: 'board',
  event_board_id: 'board',
  identity_id: 'identity',
  device_id: 'device',
  event_id: 'scoreEvent',
  last_event_id: 'scoreEvent',
  selected_event_id: 'scoreEvent',
  flag_id: 'scoreFlag',
  score_flag_id: 'scoreFlag',
  user_id: 'user',
  author_id: 'user',
  reviewer_id: 'user',
  requested_by: 'user',
  undone_by: 'user',
  identity_review_id: 'identityReview',
  added_by_review: 'identityReview',
  banned_in: 'identityReview',
  deleted_with: 'device',
  made_by: 'scoreImport',
  started_by: 'user',
  friend_id: 'identity',
  source_id: 'identity',
  target_id: 'identity',
  played_by: 'identity',
  merged_into: 'identity',
  merged_from: 'identity',
  removed_from: 'identity',
  unlinked_from: 'identity',
  linked_identity_id: 'identity',
};

/** Columns that only the service's own work needs. */
const INTERNAL = [
  'recent',
  'added_in',
  'changed_in',
  'body_hash',
  'leased_until',
  'generation',
  'slot',
  'rank_key',
];

/** Files that are not in the database. */
interface Objects {
  get(name: string): Promise<Readable | undefined>;
}

interface Part {
  record: string;
  id?: IdKind;
  /** Reads rows of player $1; where it is read in chunks, after $2 (an id or a key, in order), at most $3 rows. */
  sql: string;
  /** The column of $2. */
  by?: string;
}

const AFTER = 'order by x.id limit $3';
const SUBJECTS = `array(
  select 'ide_' || $1::uuid
  union all select 'dev_' || d.id from devices d where d.identity_id = $1
  union all select 'flg_' || f.id from score_flags f where f.identity_id = $1
  union all select 'rev_' || r.id from identity_reviews r where r.identity_id = $1
  union all select 'mrg_' || m.id from player_merges m where m.source_id = $1 or m.target_id = $1
  union all select 'rwd_' || w.id from rewards w where w.identity_id = $1)`;

const PARTS: Part[] = [
  { record: 'identity', id: 'identity', sql: 'select x.* from identities x where x.id = $1' },
  { record: 'device', id: 'device', sql: 'select x.* from devices x where x.identity_id = $1 order by x.id' },
  {
    record: 'friend',
    sql: 'select x.* from friend_lists x where x.identity_id = $1 order by x.friend_id',
  },
  {
    record: 'player_merge',
    id: 'playerMerge',
    sql: 'select x.* from player_merges x where x.source_id = $1 or x.target_id = $1 order by x.id',
  },
  {
    record: 'player_tag',
    sql: 'select x.* from player_tags x where x.identity_id = $1 order by x.name',
  },
  {
    record: 'player_proof',
    sql: `select v.slug as provider, x.subject, x.account_id, x.game_id, x.identity_id, x.proven_at, x.last_proven_at
      from player_proofs x join player_providers v on v.id = x.provider_id where x.identity_id = $1 order by x.proven_at, v.slug`,
  },
  {
    record: 'proven_device',
    sql: 'select x.* from proven_devices x where x.identity_id = $1 order by x.device_id',
  },
  {
    record: 'link_code',
    sql: `select x.account_id, x.identity_id, x.device_id, x.session_id, x.expires_at from link_codes x
      where x.identity_id = $1 order by x.expires_at, x.device_id`,
  },
  {
    record: 'rename',
    sql: 'select x.identity_id, x.steps from renames_due x where x.identity_id = $1',
  },
  {
    record: 'import_row',
    sql: `select x.* from identities d join score_imports m on m.game_id = d.game_id and m.has_rows
      join import_rows x on x.import_id = m.id and x.kind = d.kind and x.external_key = d.external_key
      where d.id = $1 order by x.import_id, x.at, x.hint, x.chunk, x.line`,
  },
  {
    record: 'device_session',
    id: 'deviceSession',
    by: 'id',
    sql: `select x.* from device_sessions x where x.identity_id = $1 and x.id > $2::uuid ${AFTER}`,
  },
  {
    record: 'flag',
    id: 'scoreFlag',
    by: 'id',
    sql: `select x.* from score_flags x where x.identity_id = $1 and x.id > $2::uuid ${AFTER}`,
  },
  {
    record: 'flag_review',
    sql: `select x.* from score_flags f join flag_reviews x on x.board_id = f.board_id and x.flag_id = f.id
      where f.identity_id = $1 order by x.board_id, x.number`,
  },
  {
    record: 'comment',
    id: 'comment',
    by: 'id',
    sql: `select x.* from comments x where x.identity_id = $1 and x.id > $2::uuid ${AFTER}`,
  },
  {
    record: 'identity_review',
    id: 'identityReview',
    sql: `select x.* from identity_reviews x where x.identity_id = $1
      or x.device_id in (select d.id from devices d where d.identity_id = $1) order by x.id`,
  },
  {
    record: 'audit_entry',
    id: 'auditEntry',
    by: 'id',
    // Without the address, which is its author's.
    sql: `select x.id, x.account_id, x.game_id, x.user_id, x.action, x.subject_id, x.before, x.after, x.reason, x.created_at from audit_entries x where x.subject_id = any(${SUBJECTS}) and x.id > $2::uuid ${AFTER}`,
  },
  {
    record: 'webhook_event',
    by: 'id',
    sql: `select x.id, x.account_id, x.type, x.board_id, x.occurred_at, x.data from webhook_events x where x.players @> array[$1::uuid] and x.id > $2::uuid ${AFTER}`,
  },
  {
    record: 'closing_place',
    by: 'closing_id',
    sql: `select x.* from closing_places x where x.identity_id = $1 and x.closing_id > $2::uuid order by x.closing_id limit $3`,
  },
  {
    record: 'reward',
    id: 'reward',
    by: 'id',
    sql: `select x.* from rewards x where x.identity_id = $1 and x.id > $2::uuid ${AFTER}`,
  },
  {
    record: 'attempts',
    sql: `select x.board_id, x.period_number, x.identity_id, x.is_test, x.issued_at,
        array(select encode(t, 'hex') from unnest(x.tickets) t) as tickets, array(select encode(k, 'hex') from unnest(x.keys) k) as keys
      from attempts x where x.identity_id = $1 order by x.board_id, x.view_no, x.period_number, x.is_test`,
  },
  {
    record: 'idempotency_key',
    sql: 'select x.key, x.answer, x.created_at from idempotency_keys x where x.scope = $1 order by x.key',
  },
];

const BOARDS = `
  select b.id from identities i join boards b on b.game_id = i.game_id
  where i.id = $1 and exists (select from states x where x.board_id = b.id and x.is_test in (false, true) and x.identity_id = i.id)
  order by b.id`;

const STATES =
  'select x.* from states x where x.board_id = $2 and x.is_test in (false, true) and x.identity_id = $1';
const EVENTS = `
  select e.* from (values (false), (true)) p(is_test)
  cross join lateral (select x.* from score_events x
    where x.board_id = $2 and x.is_test = p.is_test and x.identity_id = $1 and x.seq > $3 order by x.seq limit $4) e
  order by e.seq limit $4`;
const RUNS =
  'select x.* from runs x where x.board_id = $1 and x.event_seq = any($2::bigint[]) order by x.event_seq';
const VERDICTS = `
  select x.board_id, x.event_seq, x.verifier, x.version, x.verdict, x.reason, x.created_at, x.undone_at from verdicts x
  where x.board_id = $1 and x.event_seq = any($2::bigint[]) order by x.event_seq, x.created_at`;
const RECORDED =
  'select x.event_seq from recordings x where x.board_id = $1 and x.event_seq = any($2::bigint[]) order by x.event_seq';
const RECORDING = `
  select x.board_id, x.event_seq, x.wanted_until, x.bytes, x.stored_at, x.leaving_at, encode(x.sha256, 'hex') as sha256,
    encode(x.content, 'base64') as content, x.object
  from recordings x where x.board_id = $1 and x.event_seq = $2`;
const ENTRIES = `
  select e.* from board_rankings r cross join (values (false), (true)) p(is_test)
  cross join lateral (select x.* from entries x
    where x.board_id = r.board_id and x.generation = r.generation and x.is_test = p.is_test and x.slot = any($2::uuid[])) e
  where r.board_id = $1 order by e.seq`;
const RULINGS = 'select x.* from rulings x where x.board_id = $2 and x.identity_id = $1 order by x.seq';

function recordOf(record: string, id: IdKind | undefined, raw: RawRecord): StoredRecord {
  const shown: StoredRecord = { record };
  for (const [name, value] of Object.entries(raw)) {
    if (INTERNAL.includes(name)) continue;
    const kind = name === 'id' ? id : ID_KINDS[name];
    shown[name] = kind && typeof value === 'string' ? idOf(kind, value) : value;
  }
  return shown;
}

/** Everything stored about a player, in chunks of some thousand records, none of which holds a connection. */
async function* recordsOf(
  pool: pg.Pool,
  objects: Objects | undefined,
  identity: string,
): AsyncGenerator<StoredRecord[]> {
  for (const { record, id, sql, by } of PARTS) {
    for (let after: string | undefined = NIL_UUID; after !== undefined; ) {
      const values: unknown[] = by === undefined ? [identity] : [identity, after, CHUNK_ROWS];
      const { rows }: { rows: RawRecord[] } = await pool.query<RawRecord>(sql, values);
      yield rows.map((row) => recordOf(record, id, row));
      after = by === undefined || rows.length < CHUNK_ROWS ? undefined : (rows.at(-1)![by] as string);
    }
  }
  const boards = await pool.query<{ id: string }>(BOARDS, [identity]);
  for (const { id: board } of boards.rows) yield* recordsOnBoard(pool, objects, identity, board);
}

async function* recordsOnBoard(
  pool: pg.Pool,
  objects: Objects | undefined,
  identity: string,
  board: string,
): AsyncGenerator<StoredRecord[]> {
  const states = await pool.query<RawRecord>(STATES, [identity, board]);
  yield states.rows.map((row) => recordOf('board_state', 'boardState', row));
  const rulings = await pool.query<RawRecord>(RULINGS, [identity, board]);
  yield rulings.rows.map((row) => recordOf('ruling', undefined, row));
  const entries = await pool.query<RawRecord>(ENTRIES, [board, [identity]]);
  yield entries.rows.map((row) => recordOf('score', 'score', row));
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { rows }: { rows: RawRecord[] } = await pool.query<RawRecord>(EVENTS, [
      identity,
      board,
      after,
      CHUNK_ROWS,
    ]);
    yield rows.map((row) => recordOf('score_event', 'scoreEvent', row));
    const played = await pool.query<RawRecord>(RUNS, [board, rows.map(({ seq }) => seq)]);
    yield played.rows.map((row) => recordOf('run', undefined, row));
    const judged = await pool.query<RawRecord>(VERDICTS, [board, rows.map(({ seq }) => seq)]);
    yield judged.rows.map((row) => recordOf('verdict', undefined, row));
    yield* recordingsOf(
      pool,
      objects,
      board,
      rows.map(({ seq }) => seq as number),
    );
    // Where every run counts, each event may have an entry of its own.
    const runs = await pool.query<RawRecord>(ENTRIES, [board, rows.map(({ id }) => id)]);
    yield runs.rows.map((row) => recordOf('score', 'score', row));
    after = rows.length < CHUNK_ROWS ? undefined : (rows.at(-1)!.seq as number);
  }
}

/** One at a time: files are large. */
async function* recordingsOf(
  pool: pg.Pool,
  objects: Objects | undefined,
  board: string,
  seqs: readonly number[],
): AsyncGenerator<StoredRecord[]> {
  const recorded = await pool.query<{ event_seq: number }>(RECORDED, [board, seqs]);
  for (const { event_seq: seq } of recorded.rows) {
    const { rows } = await pool.query<RawRecord>(RECORDING, [board, seq]);
    for (const { object, ...row } of rows) {
      if (typeof object !== 'string') {
        yield [recordOf('recording', undefined, row)];
        continue;
      }
      if (!objects) throw lacksBucket();
      const stored = await objects.get(object);
      const content = stored ? (await buffer(stored)).toString('base64') : null;
      yield [recordOf('recording', undefined, { ...row, content, ...(!stored && { is_missing: true }) })];
    }
  }
}

async function* linesOf(
  pool: pg.Pool,
  objects: Objects | undefined,
  identityId: string,
  players: readonly string[],
): AsyncGenerator<string> {
  let count = 0;
  for (const player of players) {
    for await (const chunk of recordsOf(pool, objects, player)) {
      count += chunk.length;
      if (chunk.length > 0) yield `${chunk.map((record) => JSON.stringify(record)).join('\n')}\n`;
    }
  }
  yield `${JSON.stringify({ trailer: { what: 'identity', identity_id: identityId, count } })}\n`;
}

/**
 * A stream of everything stored about a player and those merged into it, as NDJSON.
 * @param objects the bucket of recordings; undefined: there is none
 * @throws DomainError NOT_FOUND, FORBIDDEN, UNAVAILABLE (recordings are in a bucket, and there is none)
 */
export async function openIdentityExport(
  context: Context,
  { pool, knex }: Pick<Database, 'pool' | 'knex'>,
  objects: Objects | undefined,
  identityId: string,
): Promise<OpenExport> {
  await subjectOf(context, identityId);
  // Players that were merged into it are the same person.
  const players = await playersAsOne(knex, identityId);
  if (!objects) await refuseObjects(pool, players);
  return { type: 'application/x-ndjson; charset=utf-8', lines: linesOf(pool, objects, identityId, players) };
}
