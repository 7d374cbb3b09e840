import type { Addresses } from '../accounts/addresses.js';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Metrics } from '../base/metrics.js';
import type { Change, Changes } from '../db/changes.js';
import type { Database } from '../db/pool.js';
import { clientOf } from '../graphql/access.js';
import type { Module } from '../graphql/schema.js';
import type { FiringHooks } from '../hooks/firing.js';
import type { Job } from '../jobs/job.js';
import { LiveBoards, VersionWatch } from '../live/live-boards.js';
import type { ClientWrites } from '../players/sessions/client-write.js';
import type { Nonces } from '../players/sessions/nonce.js';
import type { NewGroups } from '../players/tags/new-groups.js';
import { RunTickets } from '../players/tickets/ticket.js';
import { Builds } from '../rankings/upkeep/builds.js';
import { MergeWorker } from '../rankings/upkeep/merges.js';
import { NameWorker } from '../rankings/upkeep/names.js';
import { PlayerTagWorker } from '../rankings/upkeep/player-tags.js';
import { Ratios } from '../rankings/upkeep/ratios.js';
import { RemovalWorker } from '../rankings/upkeep/removals.js';
import { Retirement } from '../rankings/upkeep/retire.js';
import type { FairPlay } from '../submissions/decide/fair-play.js';
import type { SubmissionPath } from '../submissions/facts/submission.js';
import { type PipelineOptions, pipelineOptions, SubmissionPipeline } from '../submissions/queue/pipeline.js';
import { BoardChangedResolver, OvertakenResolver, RankChangedResolver } from './feeds/resolver.js';
import { GhostsResolver } from './ghosts.js';
import { historyResolvers } from './history/resolver.js';
import { loadImport } from './imports/read.js';
import { importsBelowBoard, ScoreImportResolver } from './imports/resolver.js';
import { Imports } from './imports/worker.js';
import { type ScoreReads, scoreLoaders, scoreReads } from './loaders.js';
import { listMerges, loadMerge } from './merges/read.js';
import { MergeQueries, MergeResolver, mergesBelowPlayer } from './merges/resolver.js';
import { listEvents, readEvent } from './read/events.js';
import { EventOutcomeResolver } from './read/outcome-resolver.js';
import { listSubmissionRecords, loadBoardState, loadSubmissionRecord } from './read/states.js';
import { EventRecordingResolver } from './recording-resolver.js';
import { type RecordingOptions, Recordings } from './recordings/recordings.js';
import type { DownloadLimits } from './recordings/slots.js';
import type { FlagCleared } from './recordings/upload.js';
import { BatchResolver, ItemResultResolver } from './schema/batch-resolver.js';
import { EventQueries } from './schema/event-resolver.js';
import { BoardFiguresResolver, PublicBoardVersionResolver } from './schema/figures-resolver.js';
import { BoardHeldRunsResolver, IdentityScoresResolver, scoresBelow } from './schema/player-resolver.js';
import { PreviewResolver } from './schema/preview-resolver.js';
import { EventRunResolver } from './schema/run-resolver.js';
import { BoardScoresResolver, loadScore, ScoreResolver } from './schema/score-resolver.js';
import { BoardStateResolver, SubmissionRecordQueries } from './schema/state-resolver.js';
import { CreateScoreEventResolver, SubmitScoreResolver } from './schema/submit-resolver.js';
import { PublicPlayerResolver } from './standings/public-player.js';
import {
  BoardRankingResolver,
  EntryResolver,
  PublicBoardRankingResolver,
  RankingResolver,
} from './standings/ranking-resolver.js';
import { Rankings } from './standings/rankings.js';
import { BoardStandingsResolver, BoardViewResolver } from './standings/standing-resolver.js';
import { SubmissionResolver } from './standings/submission.js';
import { BoardAttemptsResolver } from './tickets/attempts.js';
import { TicketCounts } from './tickets/counts.js';
import { TicketFiguresResolver } from './tickets/figures.js';
import { TicketResolver } from './tickets/resolver.js';
import { EventVerdictsResolver } from './verdict-resolver.js';
import { EntryWatchResolver } from './watch-resolver.js';

interface ScoresParts {
  db: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  changes: Changes;
  /** Marks a topic here and announces it to the other processes. */
  changed(topic: string, change?: Change): void;
  nonces: Nonces;
  /** `keySecret` also signs tickets. */
  settings: RecordingOptions;
  /** Topics of the readers of an account's flags. */
  flagTopics(accountId: string): string[];
  /** Session and nonce of writes beside submissions. */
  writes: ClientWrites;
  newGroups: NewGroups;
  hooks: FiringHooks;
  /** Prefix of the service's own headers, e.g. `service`. */
  headerPrefix: string;
  batching?: PipelineOptions;
  fairPlay: FairPlay;
  /** Of the public pages. */
  addresses: Addresses;
  /** Tests make them small. */
  downloads?: DownloadLimits | undefined;
}

interface ScoresModule extends Module {
  reads: ScoreReads;
  submissions: SubmissionPath;
  /** Updates the boards of deleted and restored players. */
  removals: RemovalWorker;
  playerTags: PlayerTagWorker;
  /** Makes the runs of merged players count for others. */
  merges: MergeWorker;
  /** Updates boards to players' current names. */
  names: NameWorker;
  /** Updates ratio boards from their sources. */
  ratios: Ratios;
  /** Builds rankings: after changes of rules, after imports, of new views. */
  builds: Builds;
  /** Removes what boards no longer show. */
  retirement: Retirement;
  /** Adds imported scores to their boards. */
  imports: Imports;
  /** Stores and reads recordings of runs. */
  recordings: Recordings;
  jobs: Job[];
  /** Starts the periodic work: polling of versions, removals, ratio boards, builds. */
  start(): void;
  close(): Promise<void>;
}

/** Submissions, scores with their ranks, score events and the live feed. */
export function scoresModule(parts: ScoresParts): ScoresModule {
  const { db, clock, log, metrics, changes, changed, nonces, newGroups, hooks, headerPrefix, fairPlay } =
    parts;
  const tickets = new RunTickets(parts.settings);
  const ticketCounts = new TicketCounts(metrics);
  const direct: Database = { ...db, pool: db.writes };
  const submissions: SubmissionPath = new SubmissionPipeline(
    direct,
    clock,
    log,
    changed,
    parts.batching ?? pipelineOptions(direct.pool.options.max),
    metrics,
    fairPlay,
  );
  const versions = new VersionWatch(db.pool, changes, log);
  const liveBoards = new LiveBoards(db, clock, changes, log, metrics);
  const removals = new RemovalWorker(db, clock, log, changed);
  const playerTags = new PlayerTagWorker(db, clock, log, changed);
  const merges = new MergeWorker(db, clock, log, changed);
  const playerMerges = new MergeQueries({ load: loadMerge, list: listMerges });
  const names = new NameWorker(db, clock, log, changed);
  const ratios = new Ratios(db, clock, log, changes, changed);
  const cleared: FlagCleared = async (context, boardId, identityId) => {
    for (const topic of [boardId, identityId, ...parts.flagTopics(clientOf(context).accountId)])
      context.changed(topic);
    await ratios.followPlayers(boardId, [identityId]);
  };
  const recordings = new Recordings(parts.settings, parts.writes, metrics, log, cleared, parts.downloads);
  const builds = new Builds(db, clock, log, changed);
  const retirement = new Retirement(db, clock, log, changed);
  const imports = new Imports({ db, clock, log, changes, builds, fairPlay, moved: changed });
  const loaders = scoreLoaders(db.pool);
  const reads = scoreReads(db.pool);
  const rankings = new Rankings(reads, loaders);
  const headers = {
    replayedHeader: `${headerPrefix}-replayed`,
    nonceHeader: `${headerPrefix}-client-nonce`,
  };
  const events = new EventQueries({ load: readEvent, list: listEvents });
  const submissionRecords = new SubmissionRecordQueries({
    load: loadSubmissionRecord,
    list: listSubmissionRecords,
  });
  const submitParts = {
    ...{ db: direct, clock, submissions, nonces, tickets, ticketCounts, newGroups, hooks },
    ...headers,
  };
  return {
    resolvers: [
      new ScoreResolver(reads, loaders, rankings),
      new BoardScoresResolver(reads),
      new BoardRankingResolver(reads, rankings),
      new PublicBoardRankingResolver(rankings),
      new PublicPlayerResolver(reads, rankings),
      new RankingResolver(reads, rankings),
      new EntryResolver(loaders),
      new BoardStandingsResolver(reads),
      new BoardViewResolver(reads),
      new BoardFiguresResolver(db.pool),
      ...historyResolvers(db.pool),
      new PublicBoardVersionResolver(loaders),
      events,
      new SubmitScoreResolver(submitParts),
      new CreateScoreEventResolver(submitParts),
      new BatchResolver(submitParts, log),
      new TicketResolver({ db: direct.pool, tickets, counts: ticketCounts, ...headers }),
      new BoardAttemptsResolver(),
      new EventRunResolver(),
      new EventOutcomeResolver(),
      new EventRecordingResolver(recordings.addresses),
      new EventVerdictsResolver(),
      new GhostsResolver(reads, recordings.addresses),
      new EntryWatchResolver(reads, recordings.addresses, parts.addresses),
      new TicketFiguresResolver(db.pool),
      new SubmissionResolver(),
      new ItemResultResolver(),
      new BoardChangedResolver(liveBoards, reads),
      new RankChangedResolver(liveBoards, reads),
      new OvertakenResolver(liveBoards, reads),
      new BoardStateResolver(),
      submissionRecords,
      new IdentityScoresResolver(db.pool),
      playerMerges,
      new MergeResolver(merges),
      mergesBelowPlayer,
      new BoardHeldRunsResolver(),
      ...scoresBelow,
      new PreviewResolver(),
      new ScoreImportResolver(),
      importsBelowBoard,
    ],
    nodes: [
      {
        kind: 'score',
        allow: ['read', 'test', 'client'],
        load: (id, context) => loadScore(loaders, context, id),
      },
      { kind: 'boardState', allow: ['read'], load: (id, context) => loadBoardState(context, id) },
      submissionRecords.node,
      playerMerges.node,
      { kind: 'scoreImport', allow: ['read'], load: (id, context) => loadImport(context, id) },
      events.node,
    ],
    reads,
    submissions,
    removals,
    playerTags,
    merges,
    names,
    ratios,
    builds,
    retirement,
    imports,
    recordings,
    jobs: [recordings.job],
    start: () => {
      versions.start();
      liveBoards.start();
      removals.start();
      playerTags.start();
      merges.start();
      names.start();
      ratios.start();
      builds.start();
      retirement.start();
      imports.start();
    },
    close: async () => {
      await Promise.all(
        [submissions, versions, liveBoards, removals, playerTags, merges, names].map((one) => one.close()),
      );
      await imports.close();
      await Promise.all([ratios.close(), builds.close(), retirement.close()]);
    },
  };
}
