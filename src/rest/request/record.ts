import type { RouterContext } from '@koa/router';
import type { ErrorDetail } from '../../base/errors.js';
import { type IdKind, isId } from '../../base/ids.js';
import { limitTo } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { idMessage } from '../../graphql/rules.js';

interface NamedRecord {
  kind: IdKind;
  /** The path's parameter. */
  parameter: string;
  /** True if the query may name the record's account. */
  inAccount: boolean;
}

/**
 * Checks the record that a path names, and the account that the query names, for routes without a GraphQL operation;
 * the rest of a superadmin's request is limited to the account.
 * @returns the faults
 */
export function recordFaults(
  ctx: RouterContext,
  context: Context,
  { kind, parameter, inAccount }: NamedRecord,
): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  if (!isId(kind, ctx.params[parameter])) {
    faults.push({ loc: ['path', parameter], msg: idMessage(kind), type: 'id' });
  }
  const account = inAccount ? ctx.query.account_id : undefined;
  if (account) {
    if (isId('account', account)) limitTo(context, account);
    else faults.push({ loc: ['query', 'account_id'], msg: idMessage('account'), type: 'id' });
  }
  return faults;
}
