import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { domainErrorOf, formatFault } from '../graph/faults.js';
import type { Log } from '../log.js';
import type { Prepared } from './socket-operation.js';

/** Writes results and errors as the sockets' clients see them. Bugs are logged with the request's id. */
export class SocketResults {
  constructor(
    private readonly log: Log,
    /** Whether names of the schema may be offered for misspelt ones. */
    private readonly suggestions: boolean,
  ) {}

  shown(requestId: string, { cost }: Pick<Prepared, 'cost'>, { data, errors }: ExecutionResult) {
    return {
      ...(errors && { errors: this.shownErrors(requestId, errors) }),
      data,
      extensions: { cost },
    };
  }

  /** The JSON of what is shown of a result without errors, before and after that of its data. */
  shownAround({ cost }: Pick<Prepared, 'cost'>): [before: string, after: string] {
    return ['{"data":', `,"extensions":${JSON.stringify({ cost })}}`];
  }

  shownErrors(requestId: string, errors: readonly GraphQLError[]): GraphQLFormattedError[] {
    return errors.map((error) => {
      if (domainErrorOf(error).code === 'INTERNAL') {
        this.log.error({ err: error.originalError ?? error, requestId }, 'a resolver failed');
      }
      return formatFault(error, requestId, error, this.suggestions);
    });
  }
}
