import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { DomainError, type ErrorDetail, invalid, invalidField } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { saveRecord } from '../../db/save.js';
import type { Context } from '../../graphql/context.js';
import type { ImportFormat, ScoreImport } from './import.js';
import { linesOf } from './lines.js';
import { loadImport } from './read.js';
import { type RowRules, rowRules } from './row-tags.js';
import { type ImportRow, LineReader, type ReadLines } from './rows.js';
import { lockImport, requireOpen } from './save.js';

export const MOST_LINES = 5_000;
export const MOST_BYTES = 2 * 1_024 * 1_024;
/** Rows of one statement: the JSON of 5,000 would block the thread for 15 ms. */
export const ROWS_A_STATEMENT = 500;
/** Bad lines listed in one response. */
const MOST_NAMED = 100;

interface ChunkInput {
  number: number;
  format: ImportFormat;
  content: string;
  skipBad?: boolean | null;
  dryRun?: boolean | null;
}

export interface ChunkOutcome {
  scoreImport: ScoreImport;
  /** Lines stored as rows of the import. */
  accepted: number;
  skipped: number;
  bad: { line: number; reason: string }[];
}

const ADD_CHUNK =
  'insert into import_chunks (import_id, number, hash) values (?, ?, ?) on conflict do nothing';
const KNOWN_CHUNK = 'select hash from import_chunks where import_id = ? and number = ?';
const DROP_RECORDS = 'delete from import_rows where import_id = ? and ref = any(?::text[])';
const DROP_PLAYERS = `
  delete from import_rows r using jsonb_to_recordset(?::jsonb) as u(kind text, key text, test boolean)
  where r.import_id = ? and r.ref is null and r.kind = u.kind and r.external_key = u.key and r.is_test = u.test`;
/** In key order, so that the index grows in one place if lines have no times. */
const ADD_ROWS = `
  insert into import_rows (import_id, at, hint, chunk, line, kind, external_key, player_name, amount, value_display,
    metadata, is_test, ref, shown_name, present_name,
    country, tags, player_tags)
  select cast(:import as uuid), coalesce(u.at, 'infinity'), u.hint, cast(:chunk as integer), u.line, u.kind, u."externalKey",
    u."playerName",
    u.amount, u."valueDisplay", u.metadata, u."isTest", u.ref, u."shownName", u."presentName", u.country, u.tags, u."playerTags"
  from json_to_recordset(cast(:rows as json)) as u(at timestamptz, hint bigint, line integer, kind text, "externalKey" text,
    "playerName" text,
    amount float8, "valueDisplay" text, metadata jsonb, "isTest" boolean, ref text, "shownName" text, "presentName" text,
    country text, tags jsonb, "playerTags" jsonb)`;

/** Takes turns with other requests; each limit is checked before the work it limits. */
async function readContent({ format, content }: ChunkInput, now: Date, rules: RowRules): Promise<ReadLines> {
  if (Buffer.byteLength(content) > MOST_BYTES) {
    throw invalidField(['content'], `must not be larger than ${MOST_BYTES} bytes`, 'size');
  }
  const reader = new LineReader(now, rules);
  try {
    for await (const line of linesOf(format, content)) {
      if (reader.count === MOST_LINES) {
        throw invalidField(['content'], `must not have more than ${MOST_LINES} lines`, 'lines');
      }
      reader.take(line);
    }
  } catch (error) {
    if (error instanceof DomainError || !(error instanceof Error)) throw error;
    throw invalidField(['content'], `is not CSV: ${error.message}`, 'csv');
  }
  return reader.read;
}

function refuseBad({ bad }: ReadLines): void {
  if (bad.length === 0) return;
  const details = bad
    .slice(0, MOST_NAMED)
    .map(({ line, reason }): ErrorDetail => ({ loc: ['content', line], msg: reason, type: 'line' }));
  throw invalid(details);
}

const playerOf = ({ kind, externalKey, isTest }: ImportRow) => JSON.stringify([kind, externalKey, isTest]);

/** A later row of a record replaces an earlier one, and one that withdraws a player's rows the earlier ones without a record. */
function lastingRows(rows: readonly ImportRow[]): ImportRow[] {
  const newest = new Map<string, ImportRow>();
  const withdrawn = new Map<string, number>();
  for (const [at, row] of rows.entries()) {
    if (row.ref !== null) newest.set(row.ref, row);
    else if (row.withdraws) withdrawn.set(playerOf(row), at);
  }
  return rows.filter((row, at) => {
    if (row.withdraws) return false;
    return row.ref === null ? at > (withdrawn.get(playerOf(row)) ?? -1) : newest.get(row.ref) === row;
  });
}

/** What the rows replace and withdraw of previous chunks is deleted. @returns how many more rows are stored */
async function storeRows(
  trx: Knex.Transaction,
  id: string,
  chunk: number,
  rows: ImportRow[],
): Promise<number> {
  const refs = [...new Set(rows.flatMap(({ ref }) => ref ?? []))];
  let dropped = 0;
  if (refs.length > 0) dropped += (await runStatement(trx, DROP_RECORDS, [id, refs])).rowCount ?? 0;
  const gone = rows.filter(({ withdraws, ref }) => withdraws && ref === null);
  if (gone.length > 0) {
    const players = gone.map((row) => ({ kind: row.kind, key: row.externalKey, test: row.isTest }));
    dropped += (await runStatement(trx, DROP_PLAYERS, [JSON.stringify(players), id])).rowCount ?? 0;
  }
  const stored = lastingRows(rows);
  for (let at = 0; at < stored.length; at += ROWS_A_STATEMENT) {
    const rows = JSON.stringify(stored.slice(at, at + ROWS_A_STATEMENT));
    await runStatement(trx, ADD_ROWS, { import: id, chunk, rows });
  }
  return stored.length - dropped;
}

/**
 * Adds a numbered chunk of lines. Resending a chunk changes nothing; different content under its number is refused.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED (each bad line, unless they are skipped),
 * INVALID_TRANSITION (the import is not open), CONFLICT (the number has different content)
 */
export async function addChunk(context: Context, id: string, input: ChunkInput): Promise<ChunkOutcome> {
  const now = new Date(context.clock());
  const found = await loadImport(context, id);
  if (!input.dryRun) requireOpen(found);
  const read = await readContent(input, now, await rowRules(context, found.boardId));
  const accepted = read.rows.length - read.rows.filter(({ withdraws }) => withdraws).length;
  const outcome = (scoreImport: ScoreImport): ChunkOutcome => ({
    scoreImport,
    accepted,
    skipped: read.skipped,
    bad: read.bad,
  });
  if (input.dryRun) return outcome(found);
  if (!input.skipBad) refuseBad(read);
  const hash = createHash('sha256').update(`${input.format}\n${input.content}`).digest();
  return context.db.transaction(async (trx) => {
    const scoreImport = await lockImport(trx, context, id);
    requireOpen(scoreImport);
    const bare = uuidOf(id);
    const added = await runStatement(trx, ADD_CHUNK, [bare, input.number, hash]);
    if (added.rowCount === 0) {
      const { rows } = await runStatement<{ hash: Buffer }>(trx, KNOWN_CHUNK, [bare, input.number]);
      if (!rows[0]!.hash.equals(hash)) {
        throw new DomainError('CONFLICT', `Chunk ${input.number} was already sent with different content.`);
      }
    } else {
      const stored = await storeRows(trx, bare, input.number, read.rows);
      const { chunks, rows, replaced, skipped, refused } = scoreImport;
      const sums = {
        chunks: chunks + 1,
        rows: rows + stored,
        replaced: replaced + accepted - stored,
        skipped: skipped + read.skipped,
        refused: refused + read.bad.length,
      };
      await saveRecord(trx, scoreImport, sums, now);
    }
    return outcome(scoreImport);
  });
}
