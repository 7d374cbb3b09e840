import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { idOf, uuidOf } from '../base/ids.js';
import { administers } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import type { LoaderSpec } from '../graphql/loader.js';
import { ForAdministrators } from '../graphql/rights.js';
import { DateTime } from '../graphql/scalars.js';
import { ScoreEvent } from './event.js';
import type { RecordingAddresses } from './recordings/address.js';

@ObjectType({
  description: "A run's recording: a file that only the game understands.",
  simpleResolvers: true,
})
class Recording {
  @Field(() => String, {
    description:
      'Path and query of the file on this service, for ten minutes and for whoever has it. The file is `application/octet-stream`.',
  })
  url!: string;

  @Field(() => Int, { description: 'Its size in bytes.' })
  bytes!: number;

  @Field(() => String, { description: 'Its SHA-256, 64 hexadecimal digits.' })
  hash!: string;

  @Field(() => DateTime, { description: 'When it was stored.' })
  storedAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it is deleted. Null: the board keeps it, for as long as the run is where it is.',
  })
  leavingAt!: Date | null;
}

const OF_EVENTS = `
  select v.id, r.bytes, r.sha256, r.stored_at, r.leaving_at
  from score_events v join recordings r on r.board_id = v.board_id and r.event_seq = v.seq
  where v.id = any(?::uuid[]) and r.bytes is not null`;

interface RecordingRow {
  id: string;
  bytes: number;
  sha256: Buffer;
  stored_at: Date;
  leaving_at: Date | null;
}

const recordingOfEvent: LoaderSpec<Omit<Recording, 'url'>> = {
  batch: async (ids, db) => {
    const { rows } = await db.raw<{ rows: RecordingRow[] }>(OF_EVENTS, [ids.map(uuidOf)] as never);
    return new Map(
      rows.map(({ id, bytes, sha256, stored_at: storedAt, leaving_at: leavingAt }) => [
        idOf('scoreEvent', id),
        { bytes, hash: sha256.toString('hex'), storedAt, leavingAt },
      ]),
    );
  },
};

@Resolver(() => ScoreEvent)
export class EventRecordingResolver {
  constructor(private readonly addresses: RecordingAddresses) {}

  @ForAdministrators('read', 'verify')
  @FieldResolver(() => Recording, {
    nullable: true,
    complexity: 2,
    description: 'Its recording, if it is stored. Null for callers who do not administer it.',
  })
  async recording(@Root() event: ScoreEvent, @Ctx() context: Context): Promise<Recording | null> {
    if (event.source !== 'client' || !administers(context, event, 'read', 'verify')) return null;
    const recording = await context.loaders.of(recordingOfEvent).load(event.id);
    return recording ? { url: this.addresses.pathOf(event.id, context.clock()), ...recording } : null;
  }
}
