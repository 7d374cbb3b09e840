import { Args, ArgsType, Field, ID, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import type { Changes } from '../../db/changes.js';
import type { Queryable } from '../../db/pool.js';
import type { Feed } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { moduleFeed } from '../../graphql/schema.js';
import { moderationFeed, unlessGone } from '../flags/live-resolver.js';
import { Alert } from './alert.js';
import { loadAlert } from './read.js';

/** A feed of alerts that are raised. One that is gone by now is left out. */
export function alertFeed(pool: Queryable, changes: Changes): Feed {
  return moderationFeed(pool, changes, 'alerts', async (context, id) => {
    const alert = await unlessGone(loadAlert(context, id));
    return alert && { alertId: id, alert };
  });
}

@ObjectType({ description: 'An alert that was raised.', simpleResolvers: true })
class RaisedAlert {
  @Field(() => String, { description: 'Position in the stream. Pass it as `after` to continue from here.' })
  cursor!: string;

  @Field(() => ID, { description: "The alert's id." })
  alertId!: string;

  @Field(() => Alert, { description: 'The alert in its latest state.' })
  alert!: Alert;
}

/** Checked by the feed. */
@ArgsType()
class AlertFeedArgs {
  @Field(() => ID, { nullable: true, description: 'Only alerts of this account.' })
  accountId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only alerts of this game.' })
  gameId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Continues after the message with this cursor, so that a reconnecting subscriber misses nothing. Default: from now on.',
  })
  after?: string | null;
}

@Resolver(() => RaisedAlert)
export class AlertLiveResolver {
  @Allow('read')
  @Subscription(() => RaisedAlert, {
    description:
      'New alerts in the order they were raised. Sent within a second. Superadmins see all accounts unless they name one.',
    subscribe: moduleFeed,
  })
  alertRaised(@Root() raised: RaisedAlert, @Args(() => AlertFeedArgs) _args: AlertFeedArgs): RaisedAlert {
    return raised;
  }
}
