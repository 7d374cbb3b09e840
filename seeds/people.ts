import type { Operator, OperatorUser } from './operator.js';

const PEOPLE = `query People($accountId: ID!) {
  accounts(accountId: $accountId) { nodes {
    users(orderBy: {field: CREATED_AT}, first: 10) { nodes { id email } } apiKeys(first: 1) { nodes { id } }
  } }
}`;

interface FoundUsers {
  accounts: {
    nodes: {
      users: { nodes: { id: string; email: string }[] };
      apiKeys: { nodes: { id: string }[] };
    }[];
  };
}

/** The people of the studio in the order in which they were made; all act by its one key. */
export async function peopleOf(operator: Operator, accountId: string): Promise<OperatorUser[]> {
  const { accounts } = await operator.run<FoundUsers>(PEOPLE, { accountId });
  const { users, apiKeys } = accounts.nodes[0]!;
  return users.nodes.map(({ id }) => ({ accountId, userId: id, keyId: apiKeys.nodes[0]!.id }));
}
