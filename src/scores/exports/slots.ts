import { DomainError } from '../../base/errors.js';
import { Turns } from '../../base/limits.js';
import type { OpenExport } from '../../base/transfer/exported.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';

/** Chunks read at a time: each keeps a core and a connection busy. */
const AT_A_TIME = 2;
/** Open exports per account, however slowly they are read. */
const OPEN_PER_ACCOUNT = 4;

/**
 * Exports of one kind that are running in this process. A slot is held while a chunk is read, not while the peer
 * receives it, and accounts take turns.
 */
export class ExportSlots {
  readonly #turns = new Turns({ atATime: AT_A_TIME, ofOwner: 1, waiting: Infinity, patienceMs: Infinity });
  readonly #open = new Map<string, number>();

  /**
   * Counts a stream as open for the caller's account until it ends or is abandoned.
   * @throws DomainError RATE_LIMITED
   */
  admit(context: Context, { type, lines }: OpenExport): OpenExport {
    const account = adminOf(context).accountId;
    const open = this.#open.get(account) ?? 0;
    if (open >= OPEN_PER_ACCOUNT) {
      const sentence = `An account may have ${OPEN_PER_ACCOUNT} exports open at a time: try again when one has ended`;
      throw new DomainError('RATE_LIMITED', sentence);
    }
    this.#open.set(account, open + 1);
    return { type, lines: this.#counted(account, lines) };
  }

  #left(account: string): void {
    const left = this.#open.get(account)! - 1;
    if (left > 0) this.#open.set(account, left);
    else this.#open.delete(account);
  }

  /** A generator abandoned before its first step runs none of its code, hence this iterator around it. */
  #counted(account: string, lines: AsyncGenerator<string>): AsyncGenerator<string> {
    let open = true;
    const end = () => {
      if (open) this.#left(account);
      open = false;
    };
    const counted = {
      next: async () => {
        try {
          const step = await this.#turns.run(() => lines.next(), account);
          if (step.done) end();
          return step;
        } catch (error) {
          end();
          throw error;
        }
      },
      return: async (value: undefined) => {
        end();
        return lines.return(value);
      },
      throw: async (error: unknown) => {
        end();
        return lines.throw(error);
      },
      [Symbol.asyncIterator]: (): AsyncGenerator<string> => counted,
    } as AsyncGenerator<string>;
    return counted;
  }
}
