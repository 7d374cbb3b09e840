import { inSession } from './bulk-session.js';
import type { ScratchDatabase } from './scratch.js';

const NOTE = `
  create table commit_times (version bigint primary key, at float8 not null);
  create function note_commit() returns trigger language plpgsql as $$
  begin
    insert into commit_times values (new.version, extract(epoch from clock_timestamp()) * 1000) on conflict do nothing;
    return null;
  end $$;
  create trigger note_commit after update of version on board_rankings for each row execute function note_commit()`;

/** When each version of the one board was written: the end of its transaction, less the commit itself. */
export class CommitTimes {
  private constructor(private readonly made: ScratchDatabase) {}

  static async note(made: ScratchDatabase): Promise<CommitTimes> {
    await inSession(made, (client) => client.query(NOTE));
    return new CommitTimes(made);
  }

  /**
   * Milliseconds from each commit to its arrival at each subscriber: to the first message of that version or a
   * newer one. Versions before a subscriber's first message and after its last do not count.
   * @param onlyReported only commits whose version appears in a message: for subscribers not concerned by most
   * commits
   */
  async latencies(
    samples: readonly (readonly [version: number, at: number][])[],
    onlyReported: boolean,
  ): Promise<number[]> {
    const { rows } = await inSession(this.made, (client) =>
      client.query<{ version: number; at: number }>('select version, at from commit_times order by version'),
    );
    if (onlyReported) {
      const committed = new Map(rows.map(({ version, at }) => [version, at]));
      const messages = samples.flat().filter(([version]) => committed.has(version));
      return messages.map(([version, at]) => at - committed.get(version)!);
    }
    const latencies: number[] = [];
    for (const sample of samples) {
      let next = 1;
      for (const { version, at } of rows) {
        if (sample[0] === undefined || version <= sample[0][0]) continue;
        while (next < sample.length && sample[next]![0] < version) next += 1;
        if (next >= sample.length) break;
        latencies.push(sample[next]![1] - at);
      }
    }
    return latencies;
  }
}
