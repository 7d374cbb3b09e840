import type { JsonRecord } from '../call.js';
import { got, type LeaderboardClient } from '../rest/client.js';

/** Records that the service reads at a time. */
const AT_ONCE = 100;

/** REST has no read of records of several kinds by their ids. */
async function graphqlOf<T>(client: LeaderboardClient, query: string, variables: JsonRecord): Promise<T> {
  const post = client.POST as unknown as (
    at: string,
    init: object,
  ) => Promise<{ data?: { data: T }; error?: unknown; response: Response }>;
  return (await got(post('/graphql', { body: { query, variables } }))).data;
}

const NAMES = `query Names($ids: [ID!]!) { nodes(ids: $ids) {
  id ... on Identity { displayName } ... on Board { name } ... on Game { name } ... on User { displayName }
} }`;

interface NamedNodes {
  nodes: ({ id: string; name?: string; displayName?: string } | null)[];
}

/** Names of records by their ids. Absent: deleted, without a name, or not for the caller to read. */
export async function namesOf(
  client: LeaderboardClient,
  ids: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const wanted = [...ids];
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const { nodes } = await graphqlOf<NamedNodes>(client, NAMES, { ids: wanted.slice(from, from + AT_ONCE) });
    for (const node of nodes) {
      const name = node?.displayName || node?.name;
      if (node && name) names.set(node.id, name);
    }
  }
  return names;
}

const PLAYERS = `query Players($account: ID!, $text: String!) {
  search(accountId: $account, text: $text, first: 20) { id ... on Identity { displayName } }
}`;

interface FoundPlayers {
  search: { id: string; displayName?: string }[];
}

const plain = (name: string) => name.normalize('NFKC').trim().toLowerCase();

/** Players of an account with this name; where none has it whole, those with a word that begins with it. */
export async function playersNamed(
  client: LeaderboardClient,
  account: string,
  name: string,
): Promise<{ id: string }[]> {
  const { search } = await graphqlOf<FoundPlayers>(client, PLAYERS, { account, text: name });
  const players = search.filter(({ displayName }) => displayName !== undefined);
  const whole = players.filter(({ displayName }) => plain(displayName!) === plain(name));
  return whole.length > 0 ? whole : players;
}
