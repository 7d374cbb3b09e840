import { GamesQuery, LiveBoardsQuery, MeQuery, OverviewQuery, PendingQuery } from './first-operations.js';
import { CONSOLE_PATH, GRAPHQL_URL, HEADER_PREFIX } from './place.js';

// A chunk of its own, the first script of the page: while the code of the screens is on its way, the reads of the first
// view are sent and answered.

/** Name of the key of this tab in its sessionStorage. */
export const KEY_IN_TAB = 'console:key';

/** Name of the account that a superadmin looks at in sessionStorage. */
export const ACCOUNT_IN_TAB = 'console:account';

/** An answer that has waited longer is not used. */
const FRESH_MS = 15_000;

interface Request {
  operationName: string;
  variables: Record<string, unknown>;
}

const answers = new Map<string, Promise<Response>>();
const key = sessionStorage.getItem(KEY_IN_TAB);
if (key !== null) void readFirstView(key);

/**
 * The answer to a request of the first view that has been sent, once.
 * @param body of a POST of GraphQL
 * @returns undefined if no such request was sent with this key, or too long ago
 */
export function takeEarly(body: unknown, apiKey: string | undefined): Promise<Response> | undefined {
  if (answers.size === 0 || apiKey !== key || typeof body !== 'string') return undefined;
  const name = nameOf(JSON.parse(body));
  const answer = answers.get(name);
  answers.delete(name);
  return answer;
}

async function readFirstView(apiKey: string): Promise<void> {
  const read = (operation: unknown, variables: Record<string, unknown>): Promise<Response> => {
    const query = withTypenames(String(operation));
    const operationName = /query (\w+)/.exec(query)![1]!;
    const answer = fetch(GRAPHQL_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [`${HEADER_PREFIX}-api-key`]: apiKey },
      body: JSON.stringify({ query, operationName, variables }),
    });
    // Its taker gets the fault.
    answer.catch(() => {});
    answers.set(nameOf({ operationName, variables }), answer);
    return answer;
  };
  setTimeout(() => answers.clear(), FRESH_MS);
  const me = await read(MeQuery, {})
    .then((answer) => answer.clone().json())
    .catch(() => undefined);
  if (!me?.data) return;
  const { superAdmin, accountId } = me.data.me;
  const variables = { accountId: (superAdmin && sessionStorage.getItem(ACCOUNT_IN_TAB)) || accountId };
  void read(GamesQuery, variables);
  void read(PendingQuery, variables);
  if (location.pathname.replace(/\/$/, '') !== CONSOLE_PATH) return;
  void read(LiveBoardsQuery, variables);
  void read(OverviewQuery, variables);
}

function nameOf({ operationName, variables }: Request): string {
  return `${operationName} ${JSON.stringify(variables)}`;
}

/** With the types of all records, which the cache of responses needs. A brace after a colon or in a list begins an input object. */
function withTypenames(operation: string): string {
  const root = operation.indexOf('{') + 1;
  return operation.slice(0, root) + operation.slice(root).replace(/(?<![:[,]\s*)\{/g, '{ __typename ');
}
