import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Log } from '../../base/log.js';
import type { AnswerLimit } from '../../graphql/engine/answer-limit.js';
import type { Cost } from '../../graphql/engine/cost.js';
import type { Prepared } from '../../graphql/engine/execute.js';
import { domainErrorOf, faultOf, formatFault } from '../../graphql/errors.js';

/** An operation with its weight. */
interface Weighed {
  prepared: Prepared;
  cost: Cost;
}

/** Writes results and errors of operations over sockets and event streams. Bugs are logged with the request's id. */
export class Results {
  constructor(
    private readonly log: Log,
    readonly limit: AnswerLimit,
  ) {}

  /**
   * Returns a result as the payload of a message.
   * @throws DomainError BAD_REQUEST when a subscription's result is too large: the library ends the subscription with
   * an error. For a query or mutation the error is the result
   */
  next(requestId: string, operation: Weighed, result: ExecutionResult) {
    const shown = this.shown(requestId, operation, result);
    try {
      this.limit.check(shown);
      return shown;
    } catch (error) {
      if (operation.prepared.isSubscription) throw error;
      return { errors: this.shownErrors(requestId, [faultOf(error)]), extensions: shown.extensions };
    }
  }

  shown(requestId: string, { cost }: Pick<Weighed, 'cost'>, { data, errors }: ExecutionResult) {
    return {
      ...(errors && { errors: this.shownErrors(requestId, errors) }),
      data,
      extensions: { cost },
    };
  }

  shownErrors(requestId: string, errors: readonly GraphQLError[]): GraphQLFormattedError[] {
    return errors.map((error) => {
      if (domainErrorOf(error).code === 'INTERNAL') {
        this.log.error({ err: error.originalError ?? error, requestId }, 'a resolver failed');
      }
      return formatFault(error, requestId);
    });
  }
}
