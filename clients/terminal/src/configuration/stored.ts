import { ServiceError } from '../rest/client.js';
import type { Session } from '../session.js';
import { execute, fileValues, listQuery } from './api.js';
import type { Kind, Values } from './fields.js';

/** A record on the service. */
export interface StoredRecord {
  kind: Kind;
  id: string;
  name: string;
  /** By the file's names; references are ids. */
  values: Values;
  /** A webhook that the service has paused or disabled. */
  stoppedByService?: boolean;
  /** Zone of a template's windows, which is not that of its record until it is saved again after an upgrade. */
  windowZone?: string;
}

/** A game of the service, with the boards and templates that a file can name. */
export interface StoredGame extends StoredRecord {
  boards: StoredRecord[];
  templates: StoredRecord[];
  /** Names of several templates: a file cannot distinguish them. */
  ambiguous: Set<string>;
}

interface StoredWebhooks {
  records: StoredRecord[];
  /** Names of several webhooks. */
  ambiguous: Set<string>;
}

/** The configuration of an account on the service. */
export interface StoredAccount {
  games: StoredGame[];
  /** Undefined: they were not read. */
  webhooks?: StoredWebhooks;
  /** Ids of boards that a file cannot name. */
  otherBoards?: ReadonlySet<string>;
  /** Sentences about records that a file cannot hold, for the user. */
  notes: string[];
}

type ApiRecord = Values & {
  id: string;
  name: string;
  gameId: string;
  createdAt: string;
  windowTimeZone?: string;
};

interface ListAnswer {
  page: { nodes: ApiRecord[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

/** @param others gets ids of boards that templates made */
async function allRecords(
  session: Session,
  kind: Kind,
  account: string,
  others = new Set<string>(),
): Promise<ApiRecord[]> {
  const query = listQuery(kind);
  const records: ApiRecord[] = [];
  let after: string | null = null;
  do {
    const { page }: ListAnswer = await execute<ListAnswer>(session, query, { account, after });
    // A template may have made thousands: only those that a person made are kept.
    records.push(...page.nodes.filter(({ seriesNumber }) => seriesNumber == null));
    for (const { id, seriesNumber } of page.nodes) if (seriesNumber != null) others.add(id);
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  return records;
}

function storedRecord(kind: Kind, record: ApiRecord): StoredRecord {
  const stoppedByService = kind === 'webhook' && record.statusReason !== null;
  const values = fileValues(kind, record);
  return {
    kind,
    id: record.id,
    name: record.name,
    values,
    stoppedByService,
    windowZone: record.windowTimeZone,
  };
}

/** Order of the file: independent of ids and times, so that the same configuration is the same text. */
function byText(field: string) {
  return (a: StoredRecord, b: StoredRecord): number => {
    const [left, right] = [String(a.values[field]), String(b.values[field])];
    return left < right ? -1 : left > right ? 1 : 0;
  };
}

function grouped<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** Boards may share a slug over time: the active one is the file's, else the latest started, else the newest. */
function presentBoard(boards: ApiRecord[]): ApiRecord {
  const rank = ({ isActive, startsAt, createdAt }: ApiRecord) =>
    `${isActive ? 1 : 0} ${startsAt ?? ''} ${createdAt}`;
  return boards.reduce((best, board) => (rank(board) > rank(best) ? board : best));
}

/** The boards that a file can hold: one of each slug, and ratio boards whose sources it holds. */
function fileBoards(game: string, found: ApiRecord[], notes: string[]): StoredRecord[] {
  const groups = grouped(found, ({ slug }) => String(slug));
  const boards = [...groups].map(([slug, sharing]) => {
    if (sharing.length > 1) {
      notes.push(
        `${sharing.length - 1} older board(s) of ${game} with the slug ${slug} are not in the file.`,
      );
    }
    return storedRecord('board', presentBoard(sharing));
  });
  const ids = new Set(boards.map(({ id }) => id));
  const kept = boards.filter(({ name, values }) => {
    const ratio = values.ratio_config as Values | null;
    const complete =
      !ratio || [ratio.numerator_board, ratio.denominator_board].every((id) => ids.has(id as string));
    if (!complete) {
      notes.push(`The ratio board ${name} of ${game} is not in the file, because its source boards are not.`);
    }
    return complete;
  });
  return kept.sort(byText('slug'));
}

function storedGame(record: ApiRecord, boards: ApiRecord[], made: ApiRecord[], notes: string[]): StoredGame {
  const ambiguous = sharedNames(made);
  for (const name of ambiguous) {
    notes.push(`The templates of ${record.name} called ${name} are not in the file. Rename all but one.`);
  }
  const templates = made.filter(({ name }) => !ambiguous.has(name));
  return {
    ...storedRecord('game', record),
    boards: fileBoards(record.name, boards, notes),
    templates: templates.map((template) => storedRecord('template', template)).sort(byText('name')),
    ambiguous,
  };
}

/** Of several records, the names that they share. */
function sharedNames(records: ApiRecord[]): Set<string> {
  const names = grouped(records, ({ name }) => name);
  return new Set([...names].filter(([, sharing]) => sharing.length > 1).map(([name]) => name));
}

/** Undefined where the key has no right to read them. */
async function storedWebhooks(session: Session, account: string, notes: string[]) {
  const all = await allRecords(session, 'webhook', account).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return undefined;
    throw error;
  });
  if (!all) {
    notes.push('Webhooks are not in the file, because this key has no right to read them.');
    return undefined;
  }
  const ambiguous = sharedNames(all);
  for (const name of ambiguous) {
    notes.push(`The webhooks called ${name} are not in the file. Rename all but one.`);
  }
  const kept = all.filter(({ name }) => !ambiguous.has(name));
  return { records: kept.map((webhook) => storedRecord('webhook', webhook)).sort(byText('name')), ambiguous };
}

/**
 * Reads all games of an account with their boards and templates, but for deleted ones and boards of templates.
 * @param withWebhooks true to read its webhooks, too
 */
export async function readStored(
  session: Session,
  account: string,
  withWebhooks: boolean,
): Promise<StoredAccount> {
  const games = await allRecords(session, 'game', account);
  const otherBoards = new Set<string>();
  const allBoards = await allRecords(session, 'board', account, otherBoards);
  const boards = grouped(allBoards, ({ gameId }) => gameId);
  const templates = grouped(await allRecords(session, 'template', account), ({ gameId }) => gameId);
  const notes: string[] = [];
  const stored = games.map((game) =>
    storedGame(game, boards.get(game.id) ?? [], templates.get(game.id) ?? [], notes),
  );
  const named = new Set(stored.flatMap((game) => game.boards.map(({ id }) => id)));
  for (const { id } of allBoards) if (!named.has(id)) otherBoards.add(id);
  const webhooks = withWebhooks ? await storedWebhooks(session, account, notes) : undefined;
  return { games: stored.sort(byText('name')), ...(webhooks && { webhooks }), otherBoards, notes };
}

/** The account of the session's key. */
export async function ownAccount(session: Session): Promise<string> {
  const { me } = await execute<{ me: { accountId: string } }>(session, '{ me { accountId } }', {});
  return me.accountId;
}

/** Number of ranked scores of a board. */
export async function entriesOf(session: Session, board: string): Promise<number> {
  const query = 'query ($id: ID!) { board(by: { id: $id }) { ranking { totalCount } } }';
  const { board: found } = await execute<{ board: { ranking: { totalCount: number } } }>(session, query, {
    id: board,
  });
  return found.ranking.totalCount;
}
