import { Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { ClosingPreview } from '../../closings/preview/preview.js';
import { RehearseBoardPayload } from '../../closings/rehearsal/payload.js';
import type { Context } from '../../graphql/context.js';
import { ForAdministrators } from '../../graphql/rights.js';
import { EVENT_NAMES } from '../events/event-types.js';
import { askingFor, endpointsOf } from './deliver.js';

@ObjectType({
  description: 'A webhook event that would be sent, and to which endpoints.',
  simpleResolvers: true,
})
class PreviewedWebhook {
  @Field(() => String, { description: 'Type of the event.' })
  type!: string;

  @Field(() => [String], { description: 'Names of the endpoints.' })
  endpoints!: string[];
}

const OF_CLOSINGS = ['ranking.settling', 'ranking.closed'];
const OF_REWARDS = ['reward.granted'];

@Resolver(() => ClosingPreview)
export class ClosingWebhooksResolver {
  @ForAdministrators('configure')
  @FieldResolver(() => [PreviewedWebhook], {
    nullable: true,
    description: 'The webhooks that would be sent.',
  })
  webhooks(@Root() preview: ClosingPreview, @Ctx() context: Context) {
    return webhooksOf(context, preview);
  }
}

@Resolver(() => RehearseBoardPayload)
export class RehearsalWebhooksResolver {
  @ForAdministrators('configure')
  @FieldResolver(() => [PreviewedWebhook], {
    nullable: true,
    description: "The webhooks that the board's own end would send. None was sent.",
  })
  webhooks(@Root() { source, closings }: RehearseBoardPayload, @Ctx() context: Context) {
    const rewardCount = closings.reduce((sum, closing) => sum + closing.grantedCount, 0);
    return webhooksOf(context, { board: source, isTest: false, rewardCount });
  }
}

type Ending = Pick<ClosingPreview, 'board' | 'isTest' | 'rewardCount'>;

async function webhooksOf({ db }: Context, { board, isTest, rewardCount }: Ending) {
  const { id: boardId, accountId, gameId } = board;
  const endpoints = await endpointsOf(db, [accountId]);
  const types = [...OF_CLOSINGS, ...(rewardCount > 0 ? OF_REWARDS : [])];
  return EVENT_NAMES.filter((type) => types.includes(type))
    .map((type) => ({
      type,
      endpoints: askingFor(
        { accountId, type, gameId, boardId, isTest, endpointId: null, subject: {} },
        endpoints,
      )
        .filter(({ status }) => status !== 'disabled')
        .map(({ name }) => name),
    }))
    .filter((one) => one.endpoints.length > 0);
}
