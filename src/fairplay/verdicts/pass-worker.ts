import type { Clock } from '../../base/clock.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import { type Database, runStatement } from '../../db/pool.js';
import { queryUnhurried } from '../../db/statements/unhurried.js';
import type { Job, JobCall } from '../../jobs/job.js';
import { PatientWork } from '../../jobs/patience.js';
import type { Ratios } from '../../rankings/upkeep/ratios.js';
import { isOutOfRange, OUT_OF_RANGE_SENTENCE } from '../flags/save.js';
import { VERIFICATION_PASSES } from './passes.js';
import { followed } from './undo.js';

const SENT_AT_ONCE = 200;
/** Of a pass, in a run of the job: verifiers and the queue of webhooks get their share of a large board's every minute. */
const SENT_IN_A_RUN = 2_000;

const due = (served: string) => `
  select p.id, p.status, p.account_id, p.board_id from verification_passes p
  where p.status in ('sending', 'applying', 'undoing') ${served} order by p.id`;
const SEND = `select send_pass(?, ${SENT_AT_ONCE}, ?) as more`;
const APPLY = { name: 'apply_pass', text: 'select apply_pass($1, $2) as players' };
/** A pass that cannot be applied is open again. */
const FAIL = `
  update verification_passes set failure = ?, updated_at = ?,
    status = case status when 'applying' then 'open' else 'applied' end
  where id = ? and status in ('applying', 'undoing')`;

interface DuePass {
  id: string;
  status: string;
  account_id: string;
  board_id: string;
}

/** Sends passes, and has boards follow those that are applied or undone; any process does, and may be killed at any moment. */
export class PassWorker {
  readonly #requested: PatientWork;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    log: Log,
    private readonly ratios: Ratios,
    readonly changed: (topic: string) => void,
  ) {
    this.#requested = new PatientWork((error, pass) =>
      log.error({ err: error, pass }, 'failed to apply a pass; retrying'),
    );
  }

  get job(): Job {
    return {
      name: VERIFICATION_PASSES,
      description: 'Sends stored recordings to verifiers again, and applies what they said.',
      everyMinutes: 1,
      run: (call) => this.#run(call),
    };
  }

  /** Applies or undoes a pass as its status says, or begins to: resolves after a limited time. @param id prefixed */
  soon(id: string): Promise<void> {
    return this.#requested.begin(id, async (one) => {
      const { rows } = await runStatement<DuePass>(this.db.knex, `${due('and p.id = ?')}`, [uuidOf(one)]);
      for (const pass of rows) if (pass.status !== 'sending') await this.#settle(pass);
    });
  }

  close(): Promise<void> {
    return this.#requested.settled();
  }

  async #run({ db, now, signal, log }: JobCall): Promise<{ done: number }> {
    const { rows } = await runStatement<DuePass>(db, due(servedHere(db, 'account', 'p.account_id')));
    let done = 0;
    for (const pass of rows) {
      if (signal.aborted) break;
      try {
        if (pass.status !== 'sending') await this.#settle(pass);
        for (
          let sent = 0;
          pass.status === 'sending' && sent < SENT_IN_A_RUN && !signal.aborted;
          sent += SENT_AT_ONCE
        ) {
          if (!(await runStatement<{ more: boolean }>(db, SEND, [pass.id, now])).rows[0]!.more) break;
        }
        done += 1;
      } catch (error) {
        log.warn({ err: error, pass: pass.id }, 'failed to work on a pass; it will be retried');
      }
    }
    return { done };
  }

  async #settle({ id, account_id, board_id }: DuePass): Promise<void> {
    const now = new Date(this.clock());
    try {
      const [row] = await queryUnhurried<{ players: string[] }>(this.db.pool, APPLY, [id, now]);
      const board = { id: idOf('board', board_id), accountId: idOf('account', account_id) };
      await followed(this, this.ratios, board, row!.players);
    } catch (error) {
      if (!isOutOfRange(error)) throw error;
      await runStatement(this.db.knex, FAIL, [OUT_OF_RANGE_SENTENCE, now, id]);
    }
  }
}
