import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { DomainError, type ErrorDetail, invalid, invalidField } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { saveRecord } from '../../db/save.js';
import type { Context } from '../../graphql/context.js';
import type { ScoreImport } from './import.js';
import {
  type ImportFormat,
  type ImportLine,
  type ImportRow,
  linesOf,
  type ReadLines,
  readLines,
} from './lines.js';
import { lockImport, requireOpen } from './save.js';

export const MOST_LINES = 5_000;
export const MOST_BYTES = 2 * 1_024 * 1_024;
/** Bad lines that one answer names. */
const MOST_NAMED = 100;

export interface ChunkInput {
  number: number;
  format: ImportFormat;
  content: string;
  skipBad?: boolean | null;
  dryRun?: boolean | null;
}

export interface ChunkOutcome {
  scoreImport: ScoreImport;
  /** Lines that are rows of the import now. */
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
const ADD_ROWS = `
  insert into import_rows (import_id, at, hint, chunk, line, kind, external_key, player_name, amount, value_display, metadata, is_test, ref)
  select cast(:import as uuid), coalesce(u.at, 'infinity'), u.hint, cast(:chunk as integer), u.line, u.kind, u.key, u.name, u.amount, u.display, u.meta, u.test, u.ref
  from jsonb_to_recordset(cast(:rows as jsonb)) as u(at timestamptz, hint bigint, line integer, kind text, key text, name text, amount float8,
    display text, meta jsonb, test boolean, ref text)`;

function readContent({ format, content }: ChunkInput): ImportLine[] {
  if (Buffer.byteLength(content) > MOST_BYTES) {
    throw invalidField(['content'], `must not be larger than ${MOST_BYTES} bytes`, 'size');
  }
  let lines: ImportLine[];
  try {
    lines = linesOf(format, content);
  } catch (error) {
    throw invalidField(['content'], `is not CSV: ${(error as Error).message}`, 'csv');
  }
  if (lines.length > MOST_LINES) {
    throw invalidField(['content'], `must not have more than ${MOST_LINES} lines`, 'lines');
  }
  return lines;
}

function refuseBad({ bad }: ReadLines): void {
  if (bad.length === 0) return;
  const details = bad
    .slice(0, MOST_NAMED)
    .map(({ line, reason }): ErrorDetail => ({ loc: ['content', line], msg: reason, type: 'line' }));
  throw invalid(details);
}

/** A later row of a record replaces an earlier one, in this chunk and in those before. */
function newestOfRecords(rows: readonly ImportRow[]): ImportRow[] {
  const newest = new Map<string, ImportRow>();
  for (const row of rows) if (row.ref !== null) newest.set(row.ref, row);
  return rows.filter((row) => row.ref === null || newest.get(row.ref) === row);
}

async function storeRows(
  trx: Knex.Transaction,
  id: string,
  chunk: number,
  rows: ImportRow[],
): Promise<number> {
  const refs = [...new Set(rows.flatMap(({ ref }) => ref ?? []))];
  if (refs.length > 0) await runStatement(trx, DROP_RECORDS, [id, refs]);
  const gone = rows.filter(({ withdraws, ref }) => withdraws && ref === null);
  if (gone.length > 0) {
    const players = gone.map((row) => ({ kind: row.kind, key: row.externalKey, test: row.isTest }));
    await runStatement(trx, DROP_PLAYERS, [JSON.stringify(players), id]);
  }
  const stored = newestOfRecords(rows).filter(({ withdraws }) => !withdraws);
  await runStatement(trx, ADD_ROWS, {
    import: id,
    chunk,
    rows: JSON.stringify(
      stored.map((row) => ({
        at: row.at,
        hint: row.hint,
        line: row.line,
        kind: row.kind,
        key: row.externalKey,
        name: row.playerName,
        amount: row.amount,
        display: row.valueDisplay,
        meta: row.metadata,
        test: row.isTest,
        ref: row.ref,
      })),
    ),
  });
  return stored.length;
}

/**
 * Adds a numbered chunk of lines. The same chunk again changes nothing; another content of the number is refused.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED (each bad line, unless they are to be skipped),
 * INVALID_TRANSITION (the import is not open), CONFLICT (the number has another content)
 */
export async function addChunk(context: Context, id: string, input: ChunkInput): Promise<ChunkOutcome> {
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const scoreImport = await lockImport(trx, context, id);
    const read = readLines(readContent(input), now);
    if (input.dryRun)
      return { scoreImport, accepted: read.rows.length, skipped: read.skipped, bad: read.bad };
    requireOpen(scoreImport);
    if (!input.skipBad) refuseBad(read);
    const bare = uuidOf(id);
    const hash = createHash('sha256').update(`${input.format}\n${input.content}`).digest();
    const added = await runStatement(trx, ADD_CHUNK, [bare, input.number, hash]);
    if (added.rowCount === 0) {
      const { rows } = await runStatement<{ hash: Buffer }>(trx, KNOWN_CHUNK, [bare, input.number]);
      if (!rows[0]!.hash.equals(hash)) {
        throw new DomainError('CONFLICT', `Chunk ${input.number} was sent before with another content`);
      }
    } else {
      const stored = await storeRows(trx, bare, input.number, read.rows);
      const { chunks, rows, skipped } = scoreImport;
      const sums = { chunks: chunks + 1, rows: rows + stored, skipped: skipped + read.skipped };
      await saveRecord(trx, scoreImport, sums, now);
    }
    return { scoreImport, accepted: read.rows.length, skipped: read.skipped, bad: read.bad };
  });
}
