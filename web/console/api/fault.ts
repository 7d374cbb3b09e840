import { CombinedError } from 'urql';
import { t } from '../texts.js';

/** An operation's failure as screens show it. */
export interface Fault {
  code: string;
  message: string;
  requestId: string | undefined;
  /** Sentences by the name of the input's field. */
  fields: Record<string, string>;
  /** Seconds until the service accepts another request. */
  retryAfter: number | undefined;
}

interface Detail {
  loc: (string | number)[];
  msg: string;
}

/** The first error of an operation; a network error has the code OFFLINE. */
export function faultOf(error: CombinedError): Fault {
  const [first] = error.graphQLErrors;
  if (!first) {
    return {
      code: 'OFFLINE',
      message: t.faults.offline,
      requestId: undefined,
      fields: {},
      retryAfter: undefined,
    };
  }
  const { code, requestId, details, retryAfterSeconds } = first.extensions as {
    code?: string;
    requestId?: string;
    details?: Detail[];
    retryAfterSeconds?: number;
  };
  const fields: Record<string, string> = {};
  for (const { loc, msg } of details ?? []) {
    const name = loc.filter((part) => part !== 'input' && part !== 'variables').join('.');
    if (name) fields[name] ??= msg;
  }
  return {
    code: code ?? 'INTERNAL',
    message: first.message,
    requestId,
    fields,
    retryAfter: retryAfterSeconds,
  };
}
