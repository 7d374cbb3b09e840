import { Arg, Ctx, Field, FieldResolver, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import { uuidOf } from '../../base/ids.js';
import { COSTLY, Turns } from '../../base/limits.js';
import { Board } from '../../boards/board/board.js';
import { loadBoard } from '../../boards/board/read.js';
import { runStatement } from '../../db/pool.js';
import { administers } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { recordInput, recordPayload } from '../../graphql/payloads.js';
import { Allow, ForAdministrators } from '../../graphql/rights.js';
import { BoardReview } from '../reviews/review.js';
import { ApplyPassInput, PassVerdicts, ReverifyRunsInput, VerificationPass } from './pass.js';
import type { PassWorker } from './pass-worker.js';
import {
  beginApplying,
  beginUndoing,
  effectOfPass,
  listPasses,
  loadPass,
  previewPass,
  reverifyRuns,
} from './passes.js';

const payload = (mutation: string) =>
  recordPayload(mutation, 'verificationPass', () => VerificationPass, 'The pass.');
const ReverifyRunsPayload = payload('ReverifyRuns');
const UndoPassPayload = payload('UndoPass');
const UndoPassInput = recordInput(
  'UndoPass',
  'verificationPass',
  'The pass to undo, or to end if it was not applied.',
);

@ObjectType({ description: 'A pass, applied or previewed.', simpleResolvers: true })
class ApplyPassPayload {
  @Field(() => VerificationPass, { description: 'The pass.' })
  verificationPass!: VerificationPass;

  @Field(() => BoardReview, {
    nullable: true,
    description: 'What changes on the board. Null while it is being applied.',
  })
  effect!: BoardReview | null;
}

const VERDICTS = `
  select count(distinct v.event_seq) filter (where v.verdict = 'verified')::int as verified,
    count(distinct v.event_seq) filter (where v.verdict = 'rejected')::int as rejected,
    count(distinct v.event_seq) filter (where v.verdict = 'unknown')::int as unknown
  from verdicts v where v.board_id = ? and v.pass_id = ? and v.undone_at is null`;

@Resolver(() => VerificationPass)
export class PassResolver {
  readonly #previews = new Turns(COSTLY);

  constructor(private readonly worker: PassWorker) {}

  @Allow('moderate')
  @Mutation(() => ReverifyRunsPayload, {
    description:
      'Sends the stored recordings of a board to the verifier again, as webhooks `run.verify` with the id of the pass. Verdicts of ' +
      'the pass have no effect until it is applied. Three passes of an account at a time, one of a board.',
  })
  async reverifyRuns(
    @Arg('input', () => ReverifyRunsInput, { description: 'Which recordings.' }) input: ReverifyRunsInput,
    @Ctx() context: Context,
  ) {
    return { verificationPass: await reverifyRuns(context, input) };
  }

  @Allow('moderate')
  @Once()
  @Mutation(() => ApplyPassPayload, {
    complexity: 500,
    description:
      'Confirms cheating for the runs that only rejections of the pass are about, and clears flags `VERDICT` of those that it ' +
      'verified. A review of its own, undone as a whole.',
  })
  async applyPass(
    @Arg('input', () => ApplyPassInput, { description: 'The pass.' }) { id, dryRun }: ApplyPassInput,
    @Ctx() context: Context,
  ): Promise<ApplyPassPayload> {
    if (dryRun) {
      const verificationPass = await loadPass(context, id);
      const preview = () => previewPass(context, id);
      return { verificationPass, effect: await this.#previews.run(preview, verificationPass.accountId) };
    }
    const verificationPass = await this.#finished(context, await beginApplying(context, id));
    return { verificationPass, effect: await this.effect(verificationPass, context) };
  }

  @Allow('moderate')
  @Once()
  @Mutation(() => UndoPassPayload, {
    complexity: 500,
    description:
      'Undoes an applied pass, except what was reviewed differently since. Ends one that was not applied.',
  })
  async undoPass(
    @Arg('input', () => UndoPassInput, { description: 'The pass.' }) { id }: { id: string },
    @Ctx() context: Context,
  ) {
    return { verificationPass: await this.#finished(context, await beginUndoing(context, id)) };
  }

  /** The pass as the board's update leaves it, if that is quick. */
  async #finished({ db }: Context, { id }: VerificationPass): Promise<VerificationPass> {
    await this.worker.soon(id);
    return VerificationPass.query(db).findById(uuidOf(id)).throwIfNotFound();
  }

  @FieldResolver(() => PassVerdicts, {
    nullable: true,
    complexity: 5,
    description: 'Runs by their verdicts in the pass. Null if they cannot be read.',
  })
  async verdicts(@Root() { id, boardId }: VerificationPass, @Ctx() { db }: Context): Promise<PassVerdicts> {
    const { rows } = await runStatement<PassVerdicts>(db, VERDICTS, [uuidOf(boardId), uuidOf(id)]);
    return rows[0]!;
  }

  @FieldResolver(() => BoardReview, {
    nullable: true,
    complexity: 5,
    description: 'What it changed on the board. Null: it was not applied.',
  })
  async effect(@Root() pass: VerificationPass, @Ctx() context: Context): Promise<BoardReview | null> {
    return effectOfPass(await loadBoard(context, pass.boardId), pass);
  }
}

@Resolver(() => Board)
export class BoardPassesResolver {
  @ForAdministrators()
  @FieldResolver(() => [VerificationPass], {
    nullable: true,
    complexity: 20,
    description: 'Its newest 50 passes, newest first. Null for callers who do not administer it.',
  })
  verificationPasses(@Root() board: Board, @Ctx() context: Context) {
    return administers(context, board) ? listPasses(context, board.id) : null;
  }
}
