import type pg from 'pg';
import type { Clock } from '../../base/clock.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Database, Queryable } from '../../db/pool.js';
import type { AntiCheatSettings } from '../../games/anti-cheat-settings.js';
import { clockedRun, clockFinding } from '../../submissions/decide/clock.js';
import type { BoardFacts, Facts } from '../../submissions/decide/decide.js';
import {
  ACCEPTED,
  type CheckResult,
  type FairPlay,
  type Objected,
} from '../../submissions/decide/fair-play.js';
import { playedAt } from '../../submissions/decide/played-at.js';
import { RECENT_LIMIT, RECENT_MILLIS } from '../../submissions/facts/recent-submissions.js';
import type { Submission } from '../../submissions/facts/submission.js';
import { FLAGS, flagsOf } from '../flags/feed.js';
import { BoardSpreads } from './board-spreads.js';
import { check } from './checks.js';
import type { CheckedSubmission, Hit } from './finding.js';
import { isFarFromSettled, SettledPlayers } from './settled-players.js';
import {
  type CheckSettings,
  countUpTo,
  gameThresholds,
  serviceThresholds,
  type Thresholds,
  type Tier,
} from './thresholds.js';

/** Runs the checks on every submission, and writes flags for their findings. */
export class ScoreChecker implements FairPlay {
  readonly #enabled: boolean;
  readonly #service: Thresholds;
  readonly #games = new WeakMap<object, Thresholds>();
  readonly #spreads: BoardSpreads;
  readonly #settled = new SettledPlayers();
  /** Running batches by board, and the account that got flags in one of them. */
  readonly #underWay = new Map<string, { batches: number; flagged: string | undefined }>();

  constructor(
    db: Database,
    clock: Clock,
    log: Log,
    settings: CheckSettings,
    /** Marks a topic and announces it to the other processes. */
    private readonly changed: (topic: string) => void,
  ) {
    this.#enabled = settings.antiCheat;
    this.#service = serviceThresholds(settings);
    this.#spreads = new BoardSpreads(db.pool, clock, log);
  }

  async prepare(boardId: string, populations: readonly boolean[]): Promise<() => void> {
    if (!this.#enabled) return () => undefined;
    const known = this.#underWay.get(boardId);
    if (known) known.batches += 1;
    else this.#underWay.set(boardId, { batches: 1, flagged: undefined });
    for (const isTest of populations) await this.#spreads.refresh(boardId, isTest);
    return () => this.#ended(boardId);
  }

  countUpTo(board: BoardFacts): number | null {
    return this.#isOn(board) ? countUpTo(this.#thresholds(board)) : null;
  }

  check(board: BoardFacts, facts: Facts, item: Submission, at: number): CheckResult {
    if (!this.#isOn(board)) return ACCEPTED;
    const thresholds = this.#thresholds(board);
    const played = playedAt(board, facts, item, at);
    const recent = facts.recent.asOf(at);
    const remembersAll = recent.size - recent.firstAfter(played - RECENT_MILLIS) < RECENT_LIMIT;
    const history = {
      recent,
      acceptedInHour: remembersAll ? null : (facts.accepted_in_hour ?? null),
      acceptedCount: facts.accepted_count ?? 0,
      bestValue: facts.best_value,
      entryValue: facts.entry_ranked ? facts.entry_value : null,
    };
    const submitted = {
      boardType: board.board_type,
      sortDirection: board.sort_direction,
      tier: tierOf(facts, thresholds),
      at: played,
      amount: item.amount,
      ...(board.tickets?.mode === 'required' && { clock: clockOf(board, item) }),
    };
    const statistics = this.#spreads.of(item.boardId, item.isTest, board.generation, board.seq);
    const { disposition, hits } = check(history, submitted, thresholds, statistics);
    return hits.length === 0 ? ACCEPTED : { disposition, findings: hits };
  }

  demand(board: BoardFacts, found: CheckResult, announced: boolean): CheckResult {
    if (!this.#isOn(board)) return { ...found, demandsRecording: true };
    const hit: Hit = {
      ...{ check: 'recording', action: 'flag', confidence: 'low', compared: null },
      metadata: { announced: announced ? 'yes' : 'no' },
    };
    return { disposition: 'flagged', findings: [...found.findings, hit], demandsRecording: true };
  }

  awaitVerdict(board: BoardFacts, found: CheckResult, announced: boolean): CheckResult {
    if (!this.#isOn(board)) return { ...found, demandsRecording: true };
    const hit: Hit = {
      ...{ check: 'verdict', action: 'flag', confidence: 'low', compared: null },
      metadata: { announced: announced ? 'yes' : 'no' },
      peopleAfterHours: board.verdicts!.hours,
    };
    const findings = [...found.findings, hit];
    return { disposition: 'flagged', findings, demandsRecording: true, waitsForVerdict: true };
  }

  /** Outliers alone hold a run only if they are outliers among players with a past, too; other checks are about the player's own runs. */
  async holds(
    reader: Queryable,
    board: BoardFacts,
    facts: Facts,
    { boardId, isTest }: Submission,
    at: number,
    { findings }: CheckResult,
  ): Promise<boolean> {
    const hits = findings as readonly Hit[];
    if (hits.some(({ check: name }) => name !== 'outlier')) return true;
    const thresholds = this.#thresholds(board);
    const settled = await this.#settled.of(reader, boardId, isTest, board, at);
    const { outlierZ } = thresholds.tiers[tierOf(facts, thresholds)];
    const { outlierMinEntries: least } = thresholds;
    return hits.some((hit) => isFarFromSettled(hit, board.sort_direction, outlierZ, least, settled));
  }

  record(
    client: pg.PoolClient,
    board: BoardFacts,
    boardId: string,
    at: Date,
    objected: readonly Objected[],
  ): Promise<void> {
    const underWay = this.#underWay.get(idOf('board', boardId));
    if (underWay) underWay.flagged = idOf('account', board.account_id);
    return recordFlags(client, board, boardId, at, objected);
  }

  /** Also called after a batch that was rolled back: readers that look then find no new flags. */
  #ended(boardId: string): void {
    const underWay = this.#underWay.get(boardId)!;
    underWay.batches -= 1;
    // The other running batch may have written its flags later: its own end marks the topic again.
    if (underWay.batches === 0) this.#underWay.delete(boardId);
    if (underWay.flagged === undefined) return;
    this.changed(FLAGS);
    this.changed(flagsOf(underWay.flagged));
  }

  #isOn(board: BoardFacts): boolean {
    return this.#enabled && board.anti_cheat_enabled;
  }

  #thresholds({ anti_cheat_settings: own }: BoardFacts): Thresholds {
    if (!own) return this.#service;
    // Batches read their boards, each with a settings object of its own; every submission of the batch requests the
    // thresholds.
    const known = this.#games.get(own) ?? gameThresholds(this.#service, own as AntiCheatSettings);
    this.#games.set(own, known);
    return known;
  }
}

function tierOf({ trust_tier }: Facts, { defaultTier }: Thresholds): Tier {
  return trust_tier ?? defaultTier;
}

function clockOf(board: BoardFacts, item: Submission): CheckedSubmission['clock'] {
  const settings = board.tickets?.clock;
  const run = settings ? clockedRun(board, item) : undefined;
  const found = run && clockFinding(settings!, run);
  return found && { ...found, ...run, settings: settings! };
}

/** A flag of a run among so many first ranks, or of a held one, is marked for the queue. */
const PODIUM = 3;
/**
 * Looks up the events that a hit was compared with here, by the times and amounts in the player's state: flags are rare, and
 * the ids of a hundred events in every state would cost much space.
 */
const INSERT_FLAGS = {
  name: 'flag_submissions',
  text: `
    insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, device_id, is_test, flag_type, confidence,
      status, metadata, compared_events, held, podium, people_from, created_at, updated_at)
    select $1::uuid, u.seq, u.id, u.event_id, $2::uuid, $3::uuid, u.identity_id, u.device_id, u.is_test, u.flag_type, u.confidence,
      'pending', u.metadata, array(
        select e.id from score_events e
        where e.board_id = $1::uuid and e.is_test = u.is_test and e.identity_id = u.identity_id and e.seq < u.seq
          and judged_at(e) between u.from_time and u.to_time and (u.amount is null or e.amount = u.amount)
          and event_effect($1::uuid, e.id, e.disposition) <> 'exclude'
        order by e.seq desc limit u.most),
      h.held, h.held or exists (
          select from board_rankings r join entries e on e.board_id = r.board_id and e.generation = r.generation and e.is_test = u.is_test
            and e.slot = case r.board_type when 'run_runs' then u.event_id else u.identity_id end and e.ranked
            and (r.board_type = 'counter' or e.event_seq = u.seq)
          where r.board_id = $1::uuid and (select count(*) from (
            select from entries b where b.board_id = e.board_id and b.generation = e.generation and b.is_test = e.is_test and b.ranked
              and (b.rank_key, b.seq) < (e.rank_key, e.seq) limit ${PODIUM}) t) < ${PODIUM}),
      $4::timestamptz + u.hours * interval '1 hour', $4::timestamptz, $4::timestamptz
    from json_to_recordset($5::json) u(seq bigint, id uuid, event_id uuid, identity_id uuid, device_id uuid, is_test boolean,
      flag_type text,
      confidence text, metadata jsonb, from_time timestamptz, to_time timestamptz, amount float8, most integer, hours integer)
    cross join lateral (select exists (select from held_runs x where x.board_id = $1::uuid and x.event_seq = u.seq) as held) h`,
};

/** Writes a flag for each hit on these events, in the transaction that wrote the events. */
async function recordFlags(
  client: pg.PoolClient,
  board: BoardFacts,
  boardId: string,
  at: Date,
  objected: readonly Objected[],
): Promise<void> {
  const flags = objected.flatMap(({ item, seq, checkResult }) =>
    (checkResult.findings as Hit[]).map(
      ({ check: name, confidence, metadata, compared, peopleAfterHours }) => ({
        seq,
        id: uuid7(at.getTime()),
        event_id: uuidOf(item.eventId),
        identity_id: uuidOf(item.identityId),
        device_id: item.origin.kind === 'client' ? uuidOf(item.origin.deviceId) : null,
        is_test: item.isTest,
        flag_type: name,
        confidence,
        metadata,
        from_time: timeOf(compared?.from ?? -Infinity),
        to_time: timeOf(compared?.to ?? -Infinity),
        amount: compared?.amount ?? null,
        most: compared?.most ?? 0,
        hours: peopleAfterHours ?? null,
      }),
    ),
  );
  await client.query({
    ...INSERT_FLAGS,
    values: [boardId, board.account_id, board.game_id, at, JSON.stringify(flags)],
  });
}

function timeOf(millis: number): Date | string {
  return millis === -Infinity ? '-infinity' : new Date(millis);
}
