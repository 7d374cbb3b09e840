import { Arg, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { MOST_TICKETS } from '../../boards/tickets/settings.js';
import type { Context } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { IsIdempotencyKey, IsIdOf, IsWithin } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { LONGEST_VERSION_BYTES } from '../../players/tickets/ticket.js';
import { IsVersion } from '../../players/tickets/version.js';
import { type IssuedTickets, type IssueParts, issueTickets } from './issue.js';

@InputType({ description: 'A request for tickets of runs on a board.' })
class IssueTicketsInput {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @IsWithin(1, MOST_TICKETS)
  @Field(() => Int, {
    defaultValue: 1,
    description:
      `Number of tickets, 1 to ${MOST_TICKETS}. More than one are for runs that start later: at most ` +
      `as many as the board's \`advance\`. Each counts for the rate limits. Default: 1.`,
  })
  count?: number;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'True: for a run that starts later, maybe without a connection. Its clock is checked less. Only if ' +
      "the board's `advance` allows it. Default: false.",
  })
  advance?: boolean;

  @IsVersion()
  @Field(() => String, {
    nullable: true,
    description: `The game's version, which is stored with the run: up to ${LONGEST_VERSION_BYTES} bytes.`,
  })
  gameVersion?: string | null;

  @IsIdempotencyKey()
  @Field(() => String, {
    nullable: true,
    description:
      'Makes retries safe where attempts are limited: the same key with the same request from the same ' +
      'player returns the first tickets again and takes no attempt. Can be sent as a header instead.',
  })
  idempotencyKey?: string | null;
}

@ObjectType({ description: 'The start of a run.', simpleResolvers: true })
class RunTicket {
  @Field(() => String, { description: "Send it as the nonce of the run's submission. Up to 111 characters." })
  ticket!: string;

  @Field(() => Int, {
    nullable: true,
    description: "Seed for the game's random numbers, 0 to 2147483647. Null: the board has none.",
  })
  seed!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Which of the limited attempts it is, starting at 1. Null: attempts are not limited.',
  })
  attempt!: number | null;

  @Field(() => DateTime, { description: 'Until when the run can be submitted.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'The result of `issueTickets`.', simpleResolvers: true })
class IssueTicketsPayload implements IssuedTickets {
  @Field(() => [RunTicket], {
    description: 'The tickets: fewer than requested if fewer attempts are left.',
  })
  tickets!: RunTicket[];

  @Field(() => Int, {
    nullable: true,
    description: 'Attempts that are left in this period. Null: they are not limited.',
  })
  attemptsLeft!: number | null;
}

/** Starts of runs. */
@Resolver()
export class TicketResolver {
  constructor(private readonly parts: IssueParts) {}

  @Allow('client')
  @Mutation(() => IssueTicketsPayload, {
    description: 'Issues tickets for runs on a board that has them. Requires no nonce: a ticket is one.',
  })
  issueTickets(
    @Arg('input', () => IssueTicketsInput, { description: 'For which board, and how many.' })
    input: IssueTicketsInput,
    @Ctx() context: Context,
  ): Promise<IssueTicketsPayload> {
    return issueTickets(this.parts, context, input);
  }
}
