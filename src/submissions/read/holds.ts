import { verifiedTop } from '../../boards/verdicts/settings.js';
import type { Queryable } from '../../db/pool.js';
import type { BoardPart, Candidate, Decided } from '../decide/batch.js';
import { type BoardFacts, type Decision, decide } from '../decide/decide.js';
import type { CheckResult, FairPlay } from '../decide/fair-play.js';
import { hold, movesEntry, type ShownEvent, Top, type TopEntry } from '../decide/held.js';
import { EVENT_OF_ENTRY, TOP } from '../facts/statements.js';

/** Decides which flagged runs of a batch are held, and whose recording is demanded. What that needs is read for the first of them. */
export class Holds {
  readonly #tops = new Map<boolean, Top>();

  constructor(
    private readonly board: BoardFacts,
    private readonly part: Omit<BoardPart, 'board' | 'results'>,
    /** Submissions of the batch. */
    private readonly size: number,
    /** Reads what earlier batches leave; resolves when it does. */
    private readonly reader: () => Promise<Queryable>,
    private readonly fairPlay: FairPlay,
  ) {}

  /** The check's result with the demand for the run's recording and for a verdict, where it would be among the first ranks of either. */
  async withDemand(found: Candidate): Promise<CheckResult> {
    const { board } = this;
    const { item, checkResult } = found;
    const demanded = board.recordings?.demandTop ?? 0;
    const verified = verifiedTop(board);
    const isAsked = isRun(board) && item.origin.kind === 'client' && checkResult.disposition !== 'rejected';
    if (!isAsked || Math.max(demanded, verified) === 0) return checkResult;
    const { rank = Infinity } = await this.#placeOf(found);
    const announced = item.recordingHash !== undefined;
    const sent = rank <= demanded ? this.fairPlay.demand(board, checkResult, announced) : checkResult;
    return rank <= verified ? this.fairPlay.awaitVerdict(board, sent, announced) : sent;
  }

  /** How many first ranks a flagged run is kept out of; 0: none. */
  topOf({ waitsForVerdict }: CheckResult): number {
    return Math.max(this.board.hold_top, waitsForVerdict ? verifiedTop(this.board) : 0);
  }

  /** The run's effect if it counted, and its rank; undefined: it moves no entry, or not that far. */
  async #placeOf({ item, facts }: Candidate): Promise<{ counting: Decision; rank: number | undefined }> {
    const { board, part } = this;
    const counting = decide(board, facts, item, board.seq + part.decided.length + 1, part.at, 'flagged');
    if (!movesEntry(counting)) return { counting, rank: undefined };
    const top = this.#tops.get(item.isTest) ?? (await this.#read(item.isTest));
    top.follow(part.decided, item.isTest);
    return { counting, rank: top.rankOf(counting.moves[0].entry!) };
  }

  /** @returns undefined: it is ranked while its flags are pending */
  async of(found: Candidate): Promise<Pick<Decided, 'facts' | 'decision'> | undefined> {
    const { board, part } = this;
    const { item, facts, checkResult } = found;
    const { counting, rank } = await this.#placeOf(found);
    if (rank === undefined || rank > this.topOf(checkResult)) return undefined;
    const reader = await this.reader();
    if (!(await this.fairPlay.holds(reader, board, facts, item, part.at.getTime(), checkResult)))
      return undefined;
    const known =
      facts.entry_ranked && facts.entry_event_id === null
        ? { ...facts, ...(await this.#shownEvent(facts.entry_event_seq!)) }
        : facts;
    const held = { value: item.amount, rank };
    return { facts: known, decision: hold(board, known, item, counting, held, part.views) };
  }

  async #read(isTest: boolean): Promise<Top> {
    const { hold_top: held, recordings } = this.board;
    const most = Math.max(held, recordings?.demandTop ?? 0, verifiedTop(this.board)) + this.size;
    const values = [this.part.boardId, this.board.generation, isTest, most];
    const { rows } = await (await this.reader()).query<TopEntry>({ ...TOP, values });
    const top = new Top(rows, most);
    this.#tops.set(isTest, top);
    return top;
  }

  async #shownEvent(seq: number): Promise<ShownEvent> {
    const values = [this.part.boardId, seq];
    return (await (await this.reader()).query<ShownEvent>({ ...EVENT_OF_ENTRY, values })).rows[0]!;
  }
}

/** Counters sum up: no run of theirs is ranked. */
function isRun({ board_type: type }: BoardFacts): boolean {
  return type === 'run_identity' || type === 'run_runs';
}
