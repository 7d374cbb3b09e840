import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { unavailable } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { type GlobalName, type NameClaims, type NameOwner, NameTaken } from '../db/names.js';
import { type Queryable, runStatement } from '../db/pool.js';
import type { Claimed, Directory } from './directory.js';
import { settleClaims } from './settle.js';

const NOTE = `insert into name_claims (claim_id, outcome) select c, 'done' from unnest(?::uuid[]) c order by c`;
const NOTED = 'select claim_id from name_claims where claim_id = any(?::uuid[])';

/** Attempts to reserve names that others release in the meantime. */
const ATTEMPTS = 3;

interface ClaimParts {
  cell: string;
  /** The cell's pool, outside the transaction. */
  pool: Queryable;
  directory: Directory;
  log: Log;
}

/**
 * The claims of one transaction (docs/decisions/cells.md): reserved in the directory, noted in the transaction itself,
 * settled when it has ended.
 */
export class TransactionClaims implements NameClaims {
  /** By kind and name. A claim that may have reached the directory stays until it is settled. */
  readonly #claims = new Map<string, Claimed>();

  constructor(private readonly parts: ClaimParts) {}

  async claim(trx: Knex.Transaction, names: GlobalName[], owner: NameOwner, creates: boolean): Promise<void> {
    const inherited = await this.#reuse(trx, names, owner);
    const wanted = names.filter((name) => !inherited.has(keyOf(name)));
    if (wanted.length === 0) return;
    for (let attempt = 1; ; attempt += 1) {
      const fresh = this.#begin(wanted);
      try {
        await this.parts.directory.reserve(fresh, owner, this.parts.cell, creates);
        return await note(trx, fresh);
      } catch (error) {
        if ((error as { constraint?: string }).constraint !== 'names_key') throw error;
        for (const name of fresh) this.#claims.delete(keyOf(name));
        const kind = await this.parts.directory.taken(names);
        if (kind) throw new NameTaken(kind);
        // It was given back in between.
        if (attempt === ATTEMPTS) throw unavailable();
      }
    }
  }

  async release(trx: Knex.Transaction, names: GlobalName[], owner: NameOwner): Promise<void> {
    const leaving = this.#begin(names);
    const left = await this.parts.directory.leave(leaving, owner);
    await note(trx, left);
    const missing = leaving.filter(({ claimId }) => !left.some((one) => one.claimId === claimId));
    for (const name of missing) this.#claims.delete(keyOf(name));
  }

  async settle(): Promise<void> {
    const claims = [...this.#claims.values()].map(({ claimId }) => claimId);
    const { pool, directory, log } = this.parts;
    try {
      await settleClaims(pool, directory, claims);
    } catch (error) {
      log.warn({ err: error, claims }, 'name claims were not settled; the cleanup task will do it');
    }
  }

  /**
   * Names that this transaction has claimed or released before. A claim of a savepoint that was rolled back is given
   * back, so that it can be created again; a name that another record of this transaction gives up passes to the new one.
   * @returns keys of the names that passed
   */
  async #reuse(trx: Knex.Transaction, names: GlobalName[], owner: NameOwner): Promise<Set<string>> {
    const own = names.map((name) => this.#claims.get(keyOf(name))).filter((claim) => claim !== undefined);
    if (own.length === 0) return new Set();
    const { rows } = await runStatement<{ claim_id: string }>(trx, NOTED, [own.map((one) => one.claimId)]);
    const noted = new Set(rows.map((row) => row.claim_id));
    const [live, lost] = [
      own.filter((one) => noted.has(one.claimId)),
      own.filter((one) => !noted.has(one.claimId)),
    ];
    if (lost.length > 0) {
      await this.parts.directory.settle(
        [],
        lost.map(({ claimId }) => claimId),
      );
    }
    for (const name of lost) this.#claims.delete(keyOf(name));
    if (live.length === 0) return new Set();
    const passed = await this.parts.directory.handOver(
      live.map(({ claimId }) => claimId),
      owner,
    );
    const taken = live.find(({ claimId }) => !passed.includes(claimId));
    if (taken) throw new NameTaken(taken.kind);
    return new Set(live.map(keyOf));
  }

  #begin(names: GlobalName[]): Claimed[] {
    const claimed = names.map(({ kind, name }) => ({ kind, name, claimId: randomUUID() }));
    for (const claim of claimed) this.#claims.set(keyOf(claim), claim);
    return claimed;
  }
}

const keyOf = ({ kind, name }: GlobalName) => `${kind} ${name}`;

async function note(trx: Knex.Transaction, claims: Claimed[]): Promise<void> {
  if (claims.length > 0) await runStatement(trx, NOTE, [claims.map(({ claimId }) => claimId)]);
}
