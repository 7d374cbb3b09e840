import type { Knex } from 'knex';
import { requireFreshSignIn } from '../../accounts/keys/lasting-access.js';
import { accountForWrite, refusedTransition } from '../../accounts/read.js';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { ChangesOf } from '../../db/row.js';
import { deletionOf, insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { Game } from '../../games/game.js';
import { requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { changedColumns, newColumns } from '../../graphql/records/record.js';
import {
  type CreatePlayerProviderInput,
  PlayerProvider,
  playerProviderFields,
  type UpdatePlayerProviderInput,
} from './provider.js';
import { liveProviders, reachableProviders } from './read.js';
import { checkProvider } from './rules.js';

/** Encrypts what must not be readable in the database. */
export interface Sealing {
  close(id: string, text: string): Buffer;
  open(id: string, sealed: Buffer): string;
}

interface ProviderRules {
  seal: Sealing;
  /** OIDC_ALLOW_HTTP. */
  allowHttp: boolean;
}

const MOST_PROVIDERS = 10;

/**
 * Creates a provider. Whoever does can be proven as any player of it.
 * @throws DomainError NOT_FOUND, FORBIDDEN, GAME_NOT_IN_ACCOUNT, CONFLICT, VALIDATION_FAILED, BAD_REQUEST (too many), PASSKEY_REQUIRED
 */
export async function createPlayerProvider(
  context: Context,
  { seal, allowHttp }: ProviderRules,
  input: CreatePlayerProviderInput,
): Promise<PlayerProvider> {
  requireFreshSignIn(context);
  const columns = newColumns(playerProviderFields, input);
  checkProvider({ ...columns, hasSecret: input.secret != null }, input.secret, allowHttp);
  const now = new Date(context.clock());
  const id = idOf('playerProvider', uuid7(now.getTime()));
  return auditedWrite(context, async (trx) => {
    await accountForWrite(trx, context, input);
    await gameForWrite(trx, input);
    await requireRoom(trx, input.gameId);
    return insertRecord(trx, PlayerProvider, {
      id,
      ...columns,
      sealedSecret: input.secret == null ? null : seal.close(id, input.secret),
      lastRefusal: null,
      lastRefusedAt: null,
      createdAt: now,
      updatedAt: now,
    });
  });
}

/** The lock makes the limit of a game's providers exact. */
async function gameForWrite(
  trx: Knex.Transaction,
  { accountId, gameId }: Pick<PlayerProvider, 'accountId' | 'gameId'>,
): Promise<void> {
  const game = await Game.query(trx).findById(uuidOf(gameId)).whereNull('deleted_at').forNoKeyUpdate();
  if (!game) throw notFound('Game');
  if (game.accountId !== accountId) {
    throw new DomainError('GAME_NOT_IN_ACCOUNT', 'This game belongs to another account.');
  }
}

async function requireRoom(trx: Knex.Transaction, gameId: string): Promise<void> {
  const count = await liveProviders(trx).where('game_id', uuidOf(gameId)).resultSize();
  if (count < MOST_PROVIDERS) return;
  throw new DomainError('BAD_REQUEST', `A game can have ${MOST_PROVIDERS} providers. Delete one first.`);
}

const HAS_PROOFS = 'select from player_proofs where provider_id = ? limit 1';

/**
 * Changes, deletes or restores a provider. A deleted one proves nobody; players keep what it has proven.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, INVALID_TRANSITION, CONFLICT, BAD_REQUEST (too many), PASSKEY_REQUIRED
 */
export async function updatePlayerProvider(
  context: Context,
  { seal, allowHttp }: ProviderRules,
  id: string,
  input: UpdatePlayerProviderInput,
): Promise<PlayerProvider> {
  requireFreshSignIn(context);
  const now = new Date(context.clock());
  const saved = await auditedWrite(context, async (trx) => {
    const provider = await lockRecord(PlayerProvider, reachableProviders(trx), id, 'Player provider');
    const deletion = deletionOf(provider, input, now, 'Player provider');
    requireAccount(context, provider);
    if (deletion.deletedAt === null) {
      await gameForWrite(trx, provider);
      await requireRoom(trx, provider.gameId);
    }
    const changes = changedColumns(playerProviderFields, input);
    const { issuer } = changes;
    if (provider.kind === 'oidc' && issuer !== undefined && issuer !== provider.issuer) {
      await refuseAnotherIssuer(trx, id);
    }
    const sealedSecret = sealedOf(seal, id, input.secret);
    const all: ChangesOf<PlayerProvider> = { ...changes, ...deletion, sealedSecret };
    await saveRecord(trx, provider, all, now);
    checkProvider({ ...provider, hasSecret: provider.sealedSecret !== null }, input.secret, allowHttp);
    return provider;
  });
  context.changed(saved.id);
  return saved;
}

/** Null removes it, as for a shared secret that a key replaces. */
function sealedOf(seal: Sealing, id: string, secret: string | null | undefined): Buffer | null | undefined {
  return secret == null ? secret : seal.close(id, secret);
}

/** Subjects of another issuer are other people, who would become the players of these. */
async function refuseAnotherIssuer(trx: Knex.Transaction, id: string): Promise<void> {
  const { rows } = await runStatement(trx, HAS_PROOFS, [uuidOf(id)]);
  if (rows.length === 0) return;
  throw refusedTransition(
    'Players are proven by this issuer, and those of another would become them. Create another provider.',
  );
}
