import { createHash } from 'node:crypto';
import { loadAccount } from '../accounts/read.js';
import { DomainError } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import { Board, phaseOf } from '../boards/board/board.js';
import { liveBoards, ratioConfigOfBoard } from '../boards/board/read.js';
import type { RatioConfig } from '../boards/ratios/ratio-config.js';
import { liveTemplates } from '../boards/templates/read.js';
import { BoardTemplate } from '../boards/templates/template.js';
import { viewRowsOfBoard } from '../boards/views/read.js';
import type { ViewRow } from '../boards/views/rows.js';
import type { Rows } from '../db/row.js';
import type { Game } from '../games/game.js';
import { liveGames } from '../games/read.js';
import { ofWhole, requireAccount, withinGames } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import type { WebhookEndpoint } from '../webhooks/endpoints/endpoint.js';
import { liveEndpoints } from '../webhooks/endpoints/read.js';
import { boardColumns, endpointColumns, gameColumns, templateColumns } from './columns.js';
import type { Kind, Values } from './fields.js';
import { grouped } from './file.js';

/** A stored record that a file can name. */
export interface StoredRecord {
  kind: Kind;
  id: string;
  name: string;
  slug: string | undefined;
  /** What a file says of it, by the names of the inputs' fields. */
  columns: Values;
  record: Game | Board | BoardTemplate | WebhookEndpoint;
  /** Of a board. */
  views?: ViewRow[];
}

export interface StoredGame extends StoredRecord {
  record: Game;
  boards: StoredRecord[];
  templates: StoredRecord[];
  /** Names of several templates: a file cannot distinguish them. */
  ambiguous: ReadonlySet<string>;
}

/** The configuration of an account, as far as the caller administers it. */
export interface Stored {
  games: StoredGame[];
  /** Undefined: not read, or not the caller's to read. */
  webhooks: { records: StoredRecord[]; ambiguous: ReadonlySet<string>; count: number } | undefined;
  /** Sentences about what no file can hold. */
  notes: string[];
}

/** Records of an account that are read, of each kind. */
const MOST_STORED = 5_000;

async function atMost<T>(rows: { limit(n: number): PromiseLike<T[]> }, what: string): Promise<T[]> {
  const found = await rows.limit(MOST_STORED + 1);
  if (found.length <= MOST_STORED) return found;
  const most = MOST_STORED.toLocaleString('en');
  throw new DomainError(
    'BAD_REQUEST',
    `The account has more than ${most} ${what}. Configuration as code ends there.`,
  );
}

/** One board of each slug: the active one, else the latest started, else the newest; not those of templates. */
function presentBoards(rows: Rows<Board>): Rows<Board> {
  return rows
    .whereNull('boards.series_number')
    .whereNull('boards.rehearsal_of_id')
    .select('boards.*')
    .distinctOn(['boards.game_id', 'boards.slug'] as never)
    .orderByRaw(
      'boards.game_id, boards.slug, boards.is_active desc, boards.starts_at desc nulls last, boards.created_at desc, boards.id desc',
    );
}

const OLDER = 'count(*) over (partition by boards.game_id, boards.slug) as sharing';

/** Names that several records share. */
function sharedNames(records: readonly { name: string }[]): Set<string> {
  const groups = grouped(records, ({ name }) => name);
  return new Set([...groups].filter(([, sharing]) => sharing.length > 1).map(([name]) => name));
}

/** An order of the file: independent of ids and times, so that the same configuration is the same text. */
const byText = (field: 'name' | 'slug') => (a: StoredRecord, b: StoredRecord) =>
  String(a[field]) < String(b[field]) ? -1 : 1;

/**
 * Reads an account's configuration.
 * @throws DomainError NOT_FOUND, FORBIDDEN, BAD_REQUEST (too many records)
 */
export async function readStored(
  context: Context,
  accountId: string,
  withWebhooks: boolean,
): Promise<Stored> {
  await loadAccount(context, accountId);
  const { db, loaders } = context;
  const account = uuidOf(accountId);
  const [games, boards, templates] = await Promise.all([
    atMost(withinGames(context, liveGames(db).where('games.account_id', account), 'games.id'), 'games'),
    atMost(
      presentBoards(
        withinGames(context, liveBoards(db).where('boards.account_id', account), 'boards.game_id'),
      ).select(Board.raw(OLDER)),
      'boards',
    ),
    atMost(
      withinGames(
        context,
        liveTemplates(db).where('board_templates.account_id', account),
        'board_templates.game_id',
      ),
      'templates',
    ),
  ]);
  const notes: string[] = [];
  const boardsOf = grouped(boards, ({ gameId }) => gameId);
  const templatesOf = grouped(templates, ({ gameId }) => gameId);
  const stored = await Promise.all(
    games.map(async (game): Promise<StoredGame> => {
      const own = templatesOf.get(game.id) ?? [];
      const ambiguous = sharedNames(own);
      for (const name of ambiguous) {
        notes.push(`The templates of ${game.name} called ${name} are not in the file. Rename all but one.`);
      }
      const all = boardsOf.get(game.id) ?? [];
      const [views, ratios] = await Promise.all([
        Promise.all(all.map(({ id }) => loaders.of(viewRowsOfBoard).load(id))),
        Promise.all(
          all.map(({ id, boardType }) =>
            boardType === 'ratio' ? loaders.of(ratioConfigOfBoard).load(id) : undefined,
          ),
        ),
      ]);
      const shown = all.map((board, n) => storedBoard(board, views[n] ?? [], ratios[n]));
      return {
        ...storedOf('game', game, game.slug, gameColumns.stored(game)),
        record: game,
        boards: fileBoards(game.name, shown, notes).toSorted(byText('slug')),
        templates: own
          .filter(({ name }) => !ambiguous.has(name))
          .map((template) => storedOf('template', template, undefined, templateColumns.stored(template)))
          .sort(byText('name')),
        ambiguous,
      };
    }),
  );
  return {
    games: stored.sort(byText('name')),
    webhooks: withWebhooks ? await storedWebhooks(context, accountId, notes) : undefined,
    notes,
  };
}

function storedOf<R extends StoredRecord['record']>(
  kind: Kind,
  record: R,
  slug: string | undefined,
  columns: Values,
): StoredRecord {
  return { kind, id: record.id, name: record.name, slug, columns, record };
}

function storedBoard(board: Board, views: ViewRow[], ratio: RatioConfig | undefined): StoredRecord {
  return { ...storedOf('board', board, board.slug, boardColumns.stored(board, views, ratio)), views };
}

/** Without ratio boards whose sources are not in the file. */
function fileBoards(game: string, boards: StoredRecord[], notes: string[]): StoredRecord[] {
  const ids = new Set(boards.map(({ id }) => id));
  for (const { record, slug } of boards) {
    const older = Number((record as Board & { sharing: string }).sharing) - 1;
    if (older > 0)
      notes.push(`${older} older board(s) of ${game} with the slug ${slug} are not in the file.`);
  }
  return boards.filter(({ name, columns }) => {
    const ratio = columns.ratioConfig as RatioConfig | null;
    if (!ratio || (ids.has(ratio.numeratorBoardId) && ids.has(ratio.denominatorBoardId))) return true;
    notes.push(`The ratio board ${name} of ${game} is not in the file, because its source boards are not.`);
    return false;
  });
}

async function storedWebhooks(
  context: Context,
  accountId: string,
  notes: string[],
): Promise<Stored['webhooks']> {
  try {
    requireAccount(context, ofWhole({ accountId }));
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'FORBIDDEN') throw error;
    notes.push('Webhooks are not in the file, because this key has no right to read them.');
    return undefined;
  }
  const rows = liveEndpoints(context.db).where('webhook_endpoints.account_id', uuidOf(accountId));
  const all = await atMost(rows, 'webhooks');
  const ambiguous = sharedNames(all);
  for (const name of ambiguous) {
    notes.push(`The webhooks called ${name} are not in the file. Rename all but one.`);
  }
  const records = all
    .filter(({ name }) => !ambiguous.has(name))
    .map((endpoint) => storedOf('webhook', endpoint, undefined, endpointColumns.stored(endpoint)));
  return { records: records.sort(byText('name')), ambiguous, count: all.length };
}

/** The columns that a file says at a moment, without what comes by itself: the end of a board. */
export function saidColumns({ columns, record }: StoredRecord, now: number): Values {
  return record instanceof Board && phaseOf(record, now) === 'ended'
    ? { ...columns, isActive: undefined }
    : columns;
}

/**
 * Digest of what a file can say of a configuration; what jobs count is not in it.
 * @param now epoch milliseconds
 */
export function digestOf({ games, webhooks }: Stored, now: number): string {
  const hash = createHash('sha256');
  const records = [
    ...games.flatMap((game) => [game, ...game.boards, ...game.templates]),
    ...(webhooks?.records ?? []),
  ];
  for (const stored of records) {
    const { id, slug, record } = stored;
    const said = saidColumns(stored, now);
    // The next window comes by itself, too.
    const windows = record instanceof BoardTemplate && record.windowsFrom;
    hash.update(JSON.stringify([id, slug, windows ? { ...said, nextRunAt: windows } : said]));
  }
  return hash.digest('base64url');
}
