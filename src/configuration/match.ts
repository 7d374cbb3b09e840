import type { Board } from '../boards/board/board.js';
import { grouped, type WantedFile, type WantedRecord } from './file.js';
import type { Refusals } from './refusals.js';
import type { Stored, StoredGame, StoredRecord } from './stored.js';

/** A stored record that a file does not name, in a list that it has. */
export interface Unnamed {
  record: StoredRecord;
  /** Undefined: a webhook. Of a game: itself. */
  game: StoredGame | undefined;
}

/** Pairs of records of the file with stored ones. */
export class Matching {
  readonly #stored = new Map<WantedRecord, StoredRecord>();
  readonly #taken = new Set<StoredRecord>();
  readonly unnamed: Unnamed[] = [];

  /** Notes refusals of records that fit no stored one but claim to be it. */
  constructor(
    { games, webhooks }: WantedFile,
    stored: Stored,
    private readonly refusals: Refusals,
  ) {
    this.#pairs(games, stored.games);
    for (const game of games) {
      const present = this.#stored.get(game) as StoredGame | undefined;
      if (!present) continue;
      this.#list(game.boards, present.boards, present);
      this.#refuseAmbiguous(game.templates, present.ambiguous);
      this.#list(game.templates, present.templates, present);
    }
    for (const game of stored.games) {
      if (!this.#taken.has(game)) this.unnamed.push({ record: game, game });
    }
    this.#refuseAmbiguous(webhooks, stored.webhooks?.ambiguous);
    this.#list(webhooks, stored.webhooks?.records ?? [], undefined);
  }

  /** Undefined: the record is new. */
  of(record: WantedRecord): StoredRecord | undefined {
    return this.#stored.get(record);
  }

  #list(records: WantedRecord[] | undefined, stored: StoredRecord[], game: StoredGame | undefined): void {
    if (!records) return;
    this.#pairs(records, stored);
    for (const record of stored) if (!this.#taken.has(record)) this.unnamed.push({ record, game });
  }

  /** Slugs decide first: they never change, so that a known slug with another name is a record with a new name. */
  #pairs(records: readonly WantedRecord[], stored: readonly StoredRecord[]): void {
    const slugs = grouped(stored, ({ slug }) => slug);
    const names = grouped(stored, ({ name }) => name);
    for (const record of records) if (record.slug !== undefined) this.#pair(record, slugs.get(record.slug));
    const free = (name: string) => names.get(name)?.filter((other) => !this.#taken.has(other)) ?? [];
    // A former name takes precedence over another record that has this name now.
    for (const record of records) {
      if (record.renamedFrom === undefined) continue;
      const renamed = free(record.name);
      this.#named(record, renamed.length > 0 ? renamed : free(record.renamedFrom));
    }
    for (const record of records) this.#named(record, free(record.name));
  }

  #named(record: WantedRecord, candidates: StoredRecord[]): void {
    if (this.#stored.has(record)) return;
    if (record.slug === undefined) this.#pair(record, candidates);
    else this.#refuseOtherSlug(record, candidates);
  }

  #pair(record: WantedRecord, candidates: StoredRecord[] = []): void {
    const [found, ...others] = candidates;
    if (others.length > 0) {
      const slugs = candidates.map(({ slug }) => slug).join(', ');
      this.refusals.note(
        [...record.path, 'name'],
        `is that of several boards. Add the slug, one of ${slugs}`,
      );
    }
    if (!found || this.#taken.has(found)) return;
    this.#taken.add(found);
    this.#stored.set(record, found);
  }

  /** A new board may have the name of a closed one; another slug for the present one is a mistake. */
  #refuseOtherSlug({ path, kind }: WantedRecord, candidates: StoredRecord[]): void {
    const same = candidates.find(({ record }) => kind === 'game' || (record as Board).isActive);
    if (same)
      this.refusals.note([...path, 'slug'], `cannot be changed. ${same.name} has the slug "${same.slug}"`);
  }

  #refuseAmbiguous(records: WantedRecord[] = [], ambiguous: ReadonlySet<string> = new Set()): void {
    for (const { kind, name, path } of records) {
      if (ambiguous.has(name))
        this.refusals.note([...path, 'name'], `is that of several ${kind}s. Rename all but one`);
    }
  }
}
