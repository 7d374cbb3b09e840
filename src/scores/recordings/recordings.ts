import type { Log } from '../../base/log.js';
import type { Metrics } from '../../base/metrics.js';
import type { Context } from '../../graphql/context.js';
import type { Job } from '../../jobs/job.js';
import type { ClientWrites } from '../../players/sessions/client-write.js';
import { RecordingAddresses } from './address.js';
import { Bucket } from './bucket.js';
import { RecordingCounts } from './counts.js';
import { type RecordingFile, readRecording } from './download.js';
import { type DownloadLimits, DownloadSlots, UploadSlots } from './slots.js';
import { tidyRecordingsJob } from './tidy.js';
import { type FlagCleared, type StoredRecording, storeRecording, type Upload } from './upload.js';

export interface RecordingOptions {
  keySecret: string;
  /** Address of the bucket; undefined: Postgres stores them. */
  recordingsStore: string | undefined;
  recordingsAccountMb: number;
  recordingsBytesPerSecond: number;
}

const MEGABYTE = 1_048_576;

/** Recordings of runs: files that games send after their scores (docs/decisions/recordings.md). */
export class Recordings {
  readonly addresses: RecordingAddresses;
  /** Deletes what boards don't keep. */
  readonly job: Job;
  readonly bucket: Bucket | undefined;
  readonly #slots: UploadSlots;
  readonly #reading: DownloadSlots;
  readonly #counts: RecordingCounts;
  readonly #accountBytes: number;

  constructor(
    options: RecordingOptions,
    private readonly writes: ClientWrites,
    metrics: Metrics,
    private readonly log: Log,
    private readonly cleared: FlagCleared,
    downloads?: DownloadLimits,
  ) {
    this.#reading = new DownloadSlots(downloads);
    this.bucket = options.recordingsStore === undefined ? undefined : new Bucket(options.recordingsStore);
    this.job = tidyRecordingsJob(this.bucket);
    this.addresses = new RecordingAddresses(options);
    this.#slots = UploadSlots.of(options.recordingsBytesPerSecond);
    this.#counts = new RecordingCounts(metrics, () => this.#slots.busy);
    this.#accountBytes = options.recordingsAccountMb * MEGABYTE;
  }

  store(context: Context, eventId: string, upload: Upload): Promise<StoredRecording> {
    const parts = {
      writes: this.writes,
      slots: this.#slots,
      counts: this.#counts,
      accountBytes: this.#accountBytes,
      bucket: this.bucket,
      log: this.log,
      cleared: this.cleared,
    };
    return storeRecording(parts, context, eventId, upload);
  }

  read(
    context: Context,
    eventId: string,
    query: { until: unknown; signature: unknown },
    whole: (sha256: string) => boolean,
  ): Promise<RecordingFile> {
    const parts = {
      addresses: this.addresses,
      counts: this.#counts,
      bucket: this.bucket,
      slots: this.#reading,
      log: this.log,
    };
    return readRecording(parts, context, eventId, query, whole);
  }
}
