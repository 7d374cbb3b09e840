import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { idOf, uuidOf } from '../base/ids.js';
import { runStatement } from '../db/pool.js';
import type { Context } from '../graphql/context.js';
import type { LoaderSpec } from '../graphql/loader.js';
import { ForAdministrators } from '../graphql/rights.js';
import { DateTime } from '../graphql/scalars.js';
import { Only } from '../graphql/views.js';
import { Identity } from '../players/identities/identity.js';

/** What is read of each player at most, the newest. */
const DEVICES = 100;
const BOARDS = 500;
const FLAGS = 200;

@ObjectType({ description: 'What a list of players says about one.', simpleResolvers: true })
class PlayerActivity {
  @Field(() => DateTime, {
    nullable: true,
    description: 'When it last submitted, or one of its devices last started or refreshed a session.',
  })
  lastSeenAt!: Date | null;

  @Field(() => Int, {
    description: `Its production submissions, on the ${BOARDS} boards that it came to last.`,
  })
  runs!: number;

  @Field(() => Int, { description: `Its flags to review, among its latest ${FLAGS}.` })
  pendingFlags!: number;

  @Field(() => Int, { description: `Its devices, up to ${DEVICES}.` })
  devices!: number;

  @Field(() => Int, { description: 'Those of them that are banned.' })
  bannedDevices!: number;

  @Field(() => Int, { description: 'Those of them that are suspended.' })
  suspendedDevices!: number;
}

// Each part walks one index for each player of the page.
const READ = `
  select p.id, greatest(d.seen, s.seen) as "lastSeenAt", s.runs, f.pending as "pendingFlags", d.devices, d.banned as "bannedDevices",
    d.suspended as "suspendedDevices"
  from unnest(?::uuid[]) p(id)
  cross join lateral (
    select max(x.last_seen_at) as seen, count(*)::int as devices, (count(*) filter (where x.status = 'banned'))::int as banned,
      (count(*) filter (where x.status = 'suspended'))::int as suspended
    from (select v.last_seen_at, v.status from devices v where v.identity_id = p.id and v.deleted_at is null limit ${DEVICES}) x) d
  cross join lateral (
    select max(x.last_submission_at) as seen,
      least(coalesce(sum(x.submission_count) filter (where not x.is_test), 0), 2147483647)::int as runs
    from (select v.last_submission_at, v.submission_count, v.is_test from states v where v.identity_id = p.id
      order by v.created_at desc, v.id limit ${BOARDS}) x) s
  cross join lateral (
    select count(*)::int as pending
    from (select v.status, v.deleted_at from score_flags v where v.identity_id = p.id order by v.created_at desc, v.id limit ${FLAGS}) x
    where x.status = 'pending' and x.deleted_at is null) f`;

const activityOfPlayer: LoaderSpec<PlayerActivity> = {
  batch: async (ids, db) => {
    const { rows } = await runStatement<PlayerActivity & { id: string }>(db, READ, [ids.map(uuidOf)]);
    return new Map(rows.map((row) => [idOf('identity', row.id), Object.assign(new PlayerActivity(), row)]));
  },
};

/** Read for the players that are shown: play writes none of it. */
@Resolver(() => Identity)
export class PlayerActivityResolver {
  @ForAdministrators()
  @Only('graphql')
  @FieldResolver(() => PlayerActivity, {
    nullable: true,
    complexity: 5,
    description: 'When and how much it plays. Null for callers who do not administer it.',
  })
  activity(@Root() { id }: Identity, @Ctx() { loaders }: Context) {
    return loaders.of(activityOfPlayer).load(id);
  }
}
