import type { Knex } from 'knex';
import type { Context } from '../../graphql/context.js';
import type { TokenAuthenticator } from './authenticate.js';
import { type Nonces, nonceRefusal, nonceUsed, noteUse } from './nonce.js';

/**
 * Uses up the nonce of a write in the transaction of its effect, as the last check before it. Nothing for administrators.
 * @throws DomainError NONCE_REQUIRED, NONCE_INVALID, NONCE_EXPIRED, NONCE_USED
 */
export type UseNonce = (trx: Knex.Transaction, accountId: string) => Promise<void>;

/** Session and nonce of writes with a device's token, apart from submissions, whose batches read all of it at once. */
export class ClientWrites {
  constructor(
    private readonly nonces: Nonces,
    private readonly authenticator: TokenAuthenticator,
    /** Header that carries the nonce, e.g. `service-client-nonce`. */
    private readonly nonceHeader: string,
  ) {}

  /**
   * Refuses a nonce that can't be used, where there is work before the write.
   * @throws DomainError NONCE_REQUIRED, NONCE_INVALID, NONCE_EXPIRED
   */
  checkNonce({ caller, nonce, clock }: Context): void {
    if (caller.kind !== 'client') return;
    const read = this.nonces.read(nonce, caller.deviceId, caller.gameId, clock());
    if ('fault' in read) throw nonceRefusal(read.fault, this.nonceHeader);
  }

  /**
   * Reads a client's session again: reads may have it a second old.
   * @param given the nonce of the input, which goes before that of the header
   * @param isCostly true: a nonce that is missing or invalid is refused here, before the work
   * @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, ACCOUNT_SUSPENDED
   */
  async begin(context: Context, given: string | null | undefined, isCostly = false): Promise<UseNonce> {
    const { caller, nonce } = context;
    if (caller.kind !== 'client') return async () => undefined;
    const refusal = (await this.authenticator.findInvalid([caller])).get(caller.sessionId);
    if (refusal) throw refusal;
    const read = this.nonces.read(given ?? nonce, caller.deviceId, caller.gameId, context.clock());
    if (isCostly && 'fault' in read) throw nonceRefusal(read.fault, this.nonceHeader);
    return async (trx, accountId) => {
      if ('fault' in read) throw nonceRefusal(read.fault, this.nonceHeader);
      if (!(await noteUse(trx, read.uuid, read.expiresAt, accountId))) throw nonceUsed();
    };
  }
}
