import { Arg, Args, Ctx, Field, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { changedById, changeOf, type PathId } from '../../graphql/changed-record.js';
import type { Context } from '../../graphql/context.js';
import { recordInput } from '../../graphql/payloads.js';
import { Allow } from '../../graphql/rights.js';
import { StartPlayerSessionInput } from '../inputs.js';
import { endPlayerSessions } from './end-player.js';
import { ClientSession } from './resolver.js';
import { type PlayerStarting, startPlayerSession } from './start-player.js';

@ObjectType({ description: 'The result of `startPlayerSession`.', simpleResolvers: true })
class StartPlayerSessionPayload {
  @Field(() => ClientSession, { description: 'The device and its tokens, for the player’s game client.' })
  session!: ClientSession;
}

@ObjectType({ description: 'The result of `endPlayerSessions`.', simpleResolvers: true })
class EndPlayerSessionsPayload {
  @Field(() => Int, { description: 'How many sessions ended.' })
  count!: number;
}

const StartArgs = changedById('identity', StartPlayerSessionInput);
const EndPlayerSessionsInput = recordInput('EndPlayerSessions', 'identity', 'The player whose sessions end.');

/** Sessions of players whom the studio's own login knows. */
@Resolver()
export class PlayerSessionResolver {
  constructor(private readonly starting: PlayerStarting) {}

  @Allow('players')
  @Mutation(() => StartPlayerSessionPayload, {
    description:
      'Starts a session for a player of any kind, also an imported one, and issues its tokens: for games with a login of their own. The session acts for that player and ends with the user of the API key. A player who has a banned or suspended device gets no new one.',
  })
  async startPlayerSession(
    @Args(() => StartArgs) path: PathId,
    @Arg('input', () => StartPlayerSessionInput, { description: 'The player and the device.' })
    input: StartPlayerSessionInput,
    @Ctx() context: Context,
  ) {
    const { id, changes } = changeOf(path, input);
    return { session: await startPlayerSession(context, this.starting, id, changes) };
  }

  @Allow(['players', 'moderate'])
  @Mutation(() => EndPlayerSessionsPayload, {
    description:
      'Ends all sessions of a player, on whatever device. A device that starts its own sessions can start another: ban or reset it to keep it out.',
  })
  async endPlayerSessions(
    @Arg('input', () => EndPlayerSessionsInput, { description: 'The player.' }) { id }: { id: string },
    @Ctx() context: Context,
  ) {
    return { count: await endPlayerSessions(context, id) };
  }
}
