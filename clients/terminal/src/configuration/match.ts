import type { DesiredRecord, FileGame } from './desired.js';
import type { YamlFile } from './file.js';
import type { StoredAccount, StoredGame, StoredRecord } from './stored.js';

/** Pairs of records of the file with those of the service. */
export class Matching {
  readonly #stored = new Map<DesiredRecord, StoredRecord>();
  readonly #taken = new Set<StoredRecord>();

  /** Records without a counterpart in a list that the file contains: `--prune` deletes them. */
  readonly unnamed: { record: StoredRecord; game?: StoredGame }[] = [];

  /** Notes faults of records that fit no stored one but claim to be it. */
  constructor(
    private readonly file: YamlFile,
    games: FileGame[],
    account: StoredAccount,
    webhooks?: DesiredRecord[],
  ) {
    this.#pairs(games, account.games);
    for (const game of games) {
      const stored = this.storedGame(game);
      if (!stored) continue;
      this.#list(game.boards, stored.boards, stored);
      for (const template of game.templates ?? [])
        this.#refuseAmbiguous(template, 'this game', stored.ambiguous);
      this.#list(game.templates, stored.templates, stored);
    }
    for (const game of account.games) {
      if (!this.#taken.has(game)) this.unnamed.push({ record: game, game });
    }
    for (const webhook of webhooks ?? [])
      this.#refuseAmbiguous(webhook, 'this account', account.webhooks?.ambiguous);
    this.#list(webhooks, account.webhooks?.records ?? []);
  }

  /** The service's record; undefined: there is none yet. */
  stored(record: DesiredRecord): StoredRecord | undefined {
    return this.#stored.get(record);
  }

  storedGame(game: FileGame): StoredGame | undefined {
    return this.#stored.get(game) as StoredGame | undefined;
  }

  #list(records: DesiredRecord[] | undefined, stored: StoredRecord[], game?: StoredGame): void {
    if (!records) return;
    this.#pairs(records, stored);
    const unnamed = stored.filter((record) => !this.#taken.has(record));
    this.unnamed.push(...unnamed.map((record) => (game ? { record, game } : { record })));
  }

  /** Slugs decide first: they never change, so a known slug with another name means that the record was renamed. */
  #pairs(records: DesiredRecord[], stored: StoredRecord[]): void {
    for (const record of records) {
      if (record.values.slug == null || !hasSlug(record)) continue;
      this.#pair(
        record,
        stored.filter(({ values }) => values.slug === record.values.slug),
      );
    }
    const free = (name: string) => stored.filter((other) => other.name === name && !this.#taken.has(other));
    // A previous name takes precedence over another record that has this name now.
    for (const record of records.filter(({ renamedFrom }) => renamedFrom !== undefined)) {
      const renamed = free(record.name);
      this.#named(record, renamed.length > 0 ? renamed : free(record.renamedFrom!));
    }
    for (const record of records) this.#named(record, free(record.name));
  }

  #named(record: DesiredRecord, candidates: StoredRecord[]): void {
    if (this.#stored.has(record)) return;
    if (record.values.slug == null || !hasSlug(record)) this.#pair(record, candidates);
    else this.#refuseOtherSlug(record, candidates);
  }

  #pair(record: DesiredRecord, candidates: StoredRecord[]): void {
    const [found, ...others] = candidates;
    if (others.length > 0) {
      const slugs = candidates.map(({ values }) => values.slug).join(', ');
      this.file.fault(
        [...record.way, 'name'],
        `more than one board has this name. Add the slug, one of ${slugs}`,
      );
    }
    if (!found || this.#taken.has(found)) return;
    this.#taken.add(found);
    this.#stored.set(record, found);
  }

  /** A new board may have the name of a closed one; another slug for the present one is a mistake. */
  #refuseOtherSlug(record: DesiredRecord, candidates: StoredRecord[]): void {
    const same = candidates.find(({ kind, values }) => kind === 'game' || values.is_active);
    if (!same) return;
    const message = `the slug of a ${record.kind} cannot be changed. ${same.name} has the slug "${same.values.slug}"`;
    this.file.fault([...record.way, 'slug'], message);
  }

  #refuseAmbiguous({ kind, name, way }: DesiredRecord, of: string, ambiguous?: ReadonlySet<string>): void {
    if (!ambiguous?.has(name)) return;
    this.file.fault([...way, 'name'], `more than one ${kind} of ${of} has this name. Rename all but one`);
  }
}

/** A template has one, too, which does not identify it. */
function hasSlug({ kind }: DesiredRecord): boolean {
  return kind === 'game' || kind === 'board';
}
