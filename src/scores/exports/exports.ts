import { loadAccount } from '../../accounts/read.js';
import { invalidField } from '../../base/errors.js';
import { idOf, NIL_UUID, uuidOf } from '../../base/ids.js';
import type {
  Exported,
  ExportedView,
  ExportFormat,
  ExportScope,
  OpenExport,
} from '../../base/transfer/exported.js';
import type { Measure } from '../../base/value-format.js';
import { loadBoard } from '../../boards/board/read.js';
import { TagFilter } from '../../boards/views/tag-filter.js';
import type { Database } from '../../db/pool.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import { type Owned, ofGame, requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { playerKeyFor, type ShownKey } from '../../players/session-text.js';
import { ownAddress, type RankingAddress } from '../../rankings/address.js';
import { windowAfter } from '../../rankings/window.js';
import type { ScoreReads } from '../loaders.js';
import { chosenRanking } from '../standings/view-request.js';
import { writers } from './format.js';
import { ExportSlots } from './slots.js';
import type { ExportSource } from './source.js';

const LISTED_AT_ONCE = 500;

interface ExportedBoard extends Measure {
  id: string;
}

/** Exports of boards as streams. */
export class Exports {
  readonly #slots = new ExportSlots();

  constructor(
    private readonly db: Database,
    private readonly reads: ScoreReads,
    private readonly sources: Record<Exported, ExportSource>,
  ) {}

  /**
   * Checks that the caller may read the record. Its rights hold for all of it.
   * @throws DomainError NOT_FOUND, FORBIDDEN, RATE_LIMITED (too many are open), INVALID_VIEW, VALIDATION_FAILED
   */
  async open(
    context: Context,
    scope: ExportScope,
    what: Exported,
    format: ExportFormat,
    view?: ExportedView,
  ): Promise<OpenExport> {
    const keyFor = playerKeyFor(context, await ownerOf(context, scope));
    const ranking = view ? await this.#rankingOf(context, scope, what, view) : undefined;
    const lines = this.#lines(scope, what, format, keyFor, ranking);
    return this.#slots.admit(context, { type: writers[format].type, lines });
  }

  async #rankingOf(
    context: Context,
    { kind, id }: ExportScope,
    what: Exported,
    { view, of, where }: ExportedView,
  ): Promise<RankingAddress> {
    if (kind !== 'board' || what !== 'standings') {
      throw invalidField(['query', 'view'], 'is only allowed for the standings of one board');
    }
    const board = await loadBoard(context, id);
    const chosen = { view, period: of, where: where === undefined ? undefined : tagsOf(where) };
    const ranking = await chosenRanking(context, this.reads.periods, board, chosen);
    // Refuses a ranking of which only podium and total are left.
    await windowAfter(this.reads.windows, ranking, false, undefined, 1, 'withoutOrigin');
    return ranking;
  }

  async *#lines(
    scope: ExportScope,
    what: Exported,
    format: ExportFormat,
    keyFor: ShownKey,
    ranking: RankingAddress | undefined,
  ): AsyncGenerator<string> {
    const source = this.sources[what];
    const writer = writers[format];
    yield writer.head(source.columns);
    let boards = 0;
    let count = 0;
    for await (const { id: boardId, ...measure } of this.#boards(scope)) {
      const rows = source.rows(this.db.pool, ranking ?? ownAddress(boardId), measure, keyFor);
      let written = 0;
      for (;;) {
        const step = await rows.next();
        if (step.done) {
          yield writer.trailer({ what, board_id: boardId, seq: step.value, count: written });
          break;
        }
        written += step.value.length;
        if (step.value.length > 0) yield step.value.map((row) => writer.line(source.columns, row)).join('');
      }
      boards += 1;
      count += written;
    }
    if (scope.kind !== 'board') yield writer.trailer({ what, boards, count });
  }

  /** Live boards, oldest first. */
  async *#boards({ kind, id }: ExportScope): AsyncGenerator<ExportedBoard> {
    for (let after: string | undefined = NIL_UUID; after !== undefined; ) {
      const rows: ExportedBoard[] = await this.db
        .knex('boards')
        .where(`boards.${kind === 'board' ? 'id' : `${kind}_id`}`, uuidOf(id))
        .whereNull('boards.deleted_at')
        .whereRaw(inLiveGame('boards'))
        .where('boards.id', '>', after)
        .orderBy('boards.id')
        .limit(LISTED_AT_ONCE)
        .select('boards.id', 'boards.format', 'boards.unit');
      for (const row of rows) yield { ...row, id: idOf('board', row.id) };
      after = rows.length < LISTED_AT_ONCE ? undefined : rows.at(-1)!.id;
    }
  }
}

function tagsOf(text: string): Record<string, string> {
  try {
    return TagFilter.parseValue(text);
  } catch (error) {
    throw invalidField(['query', 'where'], (error as Error).message, 'tags');
  }
}

/** Whose the exported records are. @throws DomainError NOT_FOUND, FORBIDDEN */
async function ownerOf(context: Context, { kind, id }: ExportScope): Promise<Required<Owned>> {
  if (kind === 'game') return ofGame(await loadGame(context, id));
  const owner =
    kind === 'board'
      ? await loadBoard(context, id)
      : { accountId: (await loadAccount(context, id)).id, gameId: null };
  // A published board of another account may be read, not exported: what is exported is not public.
  requireAccount(context, owner);
  return owner;
}
