import { PeriodicTask } from '../../base/clock.js';
import { DomainError } from '../../base/errors.js';
import { kindOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Caller, ClientCaller, Context } from '../context.js';

/** Interval of the check of all credentials: the longest delay when an announcement is lost. */
const CREDENTIALS_INTERVAL_MS = 1_000;

/** Kinds of records that a credential depends on. */
const CREDENTIAL_KINDS = new Set([
  'account',
  'user',
  'apiKey',
  'game',
  'device',
  'identity',
  'deviceSession',
]);

/** Returns the error of each session that is no longer valid, by session id. */
type InvalidSessions = (callers: readonly ClientCaller[]) => Promise<Map<string, DomainError>>;

interface Holder {
  context: Context;
  caller: Caller;
  /** Closes all live operations of the credential. */
  cut(error: DomainError): void;
}

function changedRights(): DomainError {
  return new DomainError('FORBIDDEN', 'The permissions of this API key have changed. Reconnect.');
}

/** The rights of a caller as a text; a request may have limited itself to one account, which a credential does not say. */
function rightsOf(caller: Caller): string {
  return JSON.stringify(caller.kind === 'admin' ? { ...caller, within: undefined } : caller);
}

/** Returns the ids of the records that a caller's credential depends on. */
function groundsOf(caller: Caller): string[] {
  if (caller.kind === 'admin') return [caller.accountId, caller.userId, caller.keyId];
  if (caller.kind === 'anonymous') return [];
  const { accountId, gameId, deviceId, identityId, sessionId } = caller;
  return [accountId, gameId, deviceId, identityId, sessionId];
}

/**
 * Closes the live operations of a credential that is no longer valid: immediately when its end is announced, otherwise
 * within one second, also while no state is sent.
 */
export class CredentialWatch {
  readonly #holders = new Set<Holder>();
  readonly #byGround = new Map<string, Set<Holder>>();
  readonly #suspects = new Set<Holder>();
  readonly #stopListening: () => void;
  readonly #task: PeriodicTask;

  constructor(
    changes: Changes,
    private readonly invalidSessions: InvalidSessions,
    log: Log,
  ) {
    this.#stopListening = changes.listen((topic) => {
      if (CREDENTIAL_KINDS.has(kindOf(topic) ?? '')) this.#suspect(topic);
    });
    // An unreachable database invalidates no credential; the next run checks again.
    this.#task = new PeriodicTask((woken) => this.#check(woken), {
      everyMillis: CREDENTIALS_INTERVAL_MS,
      log,
      failure: 'failed to check credentials',
      level: 'debug',
    });
    this.#task.start();
  }

  /** @returns ends the watch; undefined for anonymous callers, who have no credential to check */
  hold(context: Context, cut: (error: DomainError) => void): (() => void) | undefined {
    const { caller } = context;
    const grounds = groundsOf(caller);
    if (grounds.length === 0) return undefined;
    const holder: Holder = { context, caller, cut };
    this.#holders.add(holder);
    for (const id of grounds) {
      const holders = this.#byGround.get(id) ?? new Set();
      this.#byGround.set(id, holders.add(holder));
    }
    return () => {
      this.#holders.delete(holder);
      this.#suspects.delete(holder);
      for (const id of grounds) {
        const holders = this.#byGround.get(id);
        holders?.delete(holder);
        if (holders?.size === 0) this.#byGround.delete(id);
      }
    };
  }

  #suspect(topic: string): void {
    const concerned = this.#byGround.get(topic);
    if (!concerned) return;
    for (const holder of concerned) this.#suspects.add(holder);
    this.#task.wake();
  }

  async #check(woken: boolean): Promise<void> {
    const holders = [...(woken ? this.#suspects : this.#holders)];
    this.#suspects.clear();
    await Promise.all([this.#lookAtKeys(holders), this.#lookAtSessions(holders)]);
  }

  /** Checks each key once, however many operations use it. */
  async #lookAtKeys(holders: readonly Holder[]): Promise<void> {
    const byKey = new Map<string, Holder[]>();
    for (const holder of holders) {
      if (holder.caller.kind !== 'admin') continue;
      const same = byKey.get(holder.caller.keyId);
      if (same) same.push(holder);
      else byKey.set(holder.caller.keyId, [holder]);
    }
    await Promise.all(
      [...byKey.values()].map(async (same) => {
        const { context, caller: before } = same[0]!;
        const { caller, credentialError } = await context.identify();
        const away = credentialError && credentialError.status >= 500;
        if (credentialError && !away) this.#cut(same, credentialError);
        else if (!away && rightsOf(caller) !== rightsOf(before)) this.#cut(same, changedRights());
      }),
    );
  }

  async #lookAtSessions(holders: readonly Holder[]): Promise<void> {
    const clients = holders.filter(({ caller }) => caller.kind === 'client');
    if (clients.length === 0) return;
    const invalid = await this.invalidSessions(clients.map(({ caller }) => caller as ClientCaller));
    if (invalid.size === 0) return;
    for (const holder of clients) {
      const error = invalid.get((holder.caller as ClientCaller).sessionId);
      if (error) this.#cut([holder], error);
    }
  }

  #cut(holders: readonly Holder[], error: DomainError): void {
    for (const holder of holders) if (this.#holders.has(holder)) holder.cut(error);
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#task.close();
  }
}
