import type { Context } from 'koa';
import { DomainError, isDatabaseAway, unavailable } from '../../base/errors.js';
import type { PlacedPage } from '../../db/keyset.js';
import type { CellState } from './cell-state.js';
import { type MergedPage, mergePages } from './merge-pages.js';

type Json = Record<string, unknown>;

/** One cell's answer that is one list, and the page that was read for it. */
interface CellList {
  page: PlacedPage;
  body: Json;
}

const PAGE_INFO = new Set(['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor', '__typename']);

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** True for a connection of GraphQL whose members are known: rows in the order of the page, and its position. */
function isConnection(value: unknown, rows: number): value is Json {
  if (!isJson(value)) return false;
  return Object.entries(value).every(([key, member]) => {
    if (key === 'nodes' || key === 'edges') return Array.isArray(member) && member.length === rows;
    if (key === 'pageInfo') return isJson(member) && Object.keys(member).every((name) => PAGE_INFO.has(name));
    return key === '__typename';
  });
}

/** True for REST's list, with a page of so many rows. */
function isEnvelope({ data, pagination }: Json, rows: number): boolean {
  return Array.isArray(data) && data.length === rows && isJson(pagination);
}

function isList(body: Json, isGraphql: boolean, rows: number): boolean {
  if (!isGraphql) return isEnvelope(body, rows);
  const fields = Object.values((body.data ?? {}) as Json);
  return fields.length === 1 && isConnection(fields[0], rows);
}

const rowsOf = ({ places }: MergedPage, lists: unknown[][]) =>
  places.map(({ page, row }) => lists[page]![row]);

/** REST's list of all cells. */
function envelopeOf(bodies: Json[], page: MergedPage): Json {
  const data = rowsOf(
    page,
    bodies.map((body) => body.data as unknown[]),
  );
  return {
    data,
    pagination: {
      count: data.length,
      has_next: page.hasNext,
      has_prev: page.hasPrevious,
      next_cursor: page.hasNext ? page.endCursor : null,
      prev_cursor: page.hasPrevious ? page.backCursor : null,
    },
  };
}

/** GraphQL's answer with the connection of all cells. */
function answerOf(bodies: Json[], page: MergedPage): Json {
  const [key = ''] = Object.keys(bodies[0]!.data as Json);
  const connections = bodies.map(({ data }) => (data as Json)[key] as Json);
  const info: Json = {
    hasNextPage: page.hasNext,
    hasPreviousPage: page.hasPrevious,
    startCursor: page.startCursor,
    endCursor: page.endCursor,
  };
  const merged = Object.entries(connections[0]!).map(([name, member]) => {
    if (Array.isArray(member)) {
      return [
        name,
        rowsOf(
          page,
          connections.map((one) => one[name] as unknown[]),
        ),
      ];
    }
    if (!isJson(member)) return [name, member];
    return [
      name,
      Object.fromEntries(Object.entries(member).map(([field, value]) => [field, info[field] ?? value])),
    ];
  });
  return { ...bodies[0], data: { [key]: Object.fromEntries(merged) } };
}

/** The first error's code of an answer of GraphQL. */
function codeOf({ errors }: Json): unknown {
  const [error] = (errors ?? []) as { extensions?: { code?: unknown } }[];
  return error && (error.extensions?.code ?? 'INTERNAL');
}

function missing(cells: string[], sentence: string): DomainError {
  return unavailable(`This list covers all cells, but ${cells.join(', ')} cannot be reached. ${sentence}`);
}

interface AllCells {
  cells: readonly CellState[];
  isGraphql: boolean;
  /** Runs the request in the service of a cell. */
  run(cell: string): Promise<void>;
  /** CELL_REQUIRED, for a response that is not a single list. */
  refusal: DomainError;
}

/**
 * Answers a list with the records of all cells, in its order. The request only reads: it runs in each cell, one after the
 * other, since all of them write into the same response.
 * @throws DomainError UNAVAILABLE, naming the cells, when one of them cannot answer; the refusal; what a cell refuses
 */
export async function answerFromAll(
  ctx: Context,
  { cells, isGraphql, run, refusal }: AllCells,
): Promise<void> {
  const away = cells.filter(({ serving }) => !serving).map(({ id }) => id);
  if (away.length > 0) throw missing(away, refusal.message);
  const lists: CellList[] = [];
  let unknown: unknown;
  for (const { id } of cells) {
    let page: PlacedPage | undefined;
    ctx.state.notePage = (read: PlacedPage) => {
      page ??= read;
    };
    try {
      await run(id);
    } catch (error) {
      const code = isDatabaseAway(error) ? 'UNAVAILABLE' : (error as DomainError).code;
      if (code === 'UNAVAILABLE') throw missing([id], refusal.message);
      if (code !== 'NOT_FOUND') throw error;
      unknown = error;
      continue;
    }
    const body = JSON.parse(String(ctx.body)) as Json;
    const code = isGraphql ? codeOf(body) : undefined;
    if (code === 'UNAVAILABLE') throw missing([id], refusal.message);
    if (code === 'NOT_FOUND') continue;
    if (code !== undefined) {
      // A partial list: its errors point to places in one cell's page.
      if (Object.values((body.data ?? {}) as Json).some((value) => value !== null)) throw refusal;
      return;
    }
    if (!page || !isList(body, isGraphql, page.count)) throw refusal;
    lists.push({ page, body });
  }
  // A filter by a record that no cell has: the last cell's answer says so.
  if (lists.length === 0 && unknown) throw unknown;
  if (lists.length === 0) return;
  const merged = await mergePages(lists.map(({ page }) => page));
  const bodies = lists.map(({ body }) => body);
  ctx.state.cell = undefined;
  ctx.status = 200;
  ctx.body = JSON.stringify(isGraphql ? answerOf(bodies, merged) : envelopeOf(bodies, merged));
}
