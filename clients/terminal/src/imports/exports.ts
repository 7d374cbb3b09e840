import { UsageError } from '../output/failure.js';

/** The columns of the service's exports. A file that has all of one kind is such an export, with or without its trailer. */
const HEADS: Record<string, string> = {
  standings:
    'board_id is_test rank score_id identity_id identity_kind external_key player_name value value_display ' +
    'status metadata created_at occurred_at seq display_rank',
  events:
    'board_id seq event_id is_test identity_id identity_kind external_key player_name value value_display ' +
    'metadata disposition counts source device_id city country timezone occurred_at created_at',
  players:
    'board_id is_test identity_id identity_kind external_key player_name trust_tier created_at updated_at',
  flags:
    'board_id flag_id is_test identity_id score_event_id flag_type confidence status explanation metadata',
  closings: 'board_id closing_id is_test reason status ended_at rank identity_id player_name value',
};

/** The kind of export that a file with these columns is; undefined: it is none. @throws UsageError it holds no scores */
export function exportOf(columns: readonly string[]): string | undefined {
  const [kind] =
    Object.entries(HEADS).find(([, head]) => head.split(' ').every((name) => columns.includes(name))) ?? [];
  if (kind === 'flags' || kind === 'closings')
    throw new UsageError(`the file is an export of ${kind}, which contains no scores`);
  return kind;
}

/** The last line of an export, about the lines before it. */
export interface Trailer {
  count: number;
  board_id?: string;
}

const OF_CSV = /^"?# trailer ([^"]*?)"?[,;\t]*$/;

/** The trailer that a line of CSV is, also after a spreadsheet has saved it. */
export function trailerOf(line: string): Trailer | undefined {
  const [, words] = OF_CSV.exec(line) ?? [];
  if (words === undefined) return undefined;
  const { count, ...more } = Object.fromEntries(words.split(' ').map((word) => word.split('=')));
  return { ...more, count: Number(count) };
}

/** Follows the lines of an export: they are those of one board, and as many as its trailer says. */
export class ExportCheck {
  #board: unknown;
  #lines = 0;
  #trailer: Trailer | undefined;

  /** @throws UsageError the lines are of several boards, or follow a trailer */
  take({ board_id: board }: Record<string, unknown>): void {
    this.#board ??= board;
    if (board !== this.#board || this.#trailer) {
      throw new UsageError('the export has more than one board. Export and import them one at a time');
    }
    this.count();
  }

  /** Counts a line, also one that cannot be read. */
  count(): void {
    this.#lines += 1;
  }

  end(trailer: Trailer | undefined): void {
    this.#trailer ??= trailer;
  }

  /** The reason why the export is incomplete. */
  get missing(): string | undefined {
    if (!this.#trailer) return 'the last line (trailer) is missing';
    const { count } = this.#trailer;
    if (count === this.#lines) return undefined;
    return `it has ${this.#lines} lines, but should have ${count}`;
  }
}
