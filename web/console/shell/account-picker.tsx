import { useRead } from '../api/hooks.js';
import { useAccountId } from '../api/me.js';
import { graphql } from '../generated/gql.js';
import { Picker } from '../parts/picker.js';
import { t } from '../texts.js';

const AccountsNamedQuery = graphql(`
  query AccountsNamed($text: String) {
    accounts(filter: {text: $text}, orderBy: {field: NAME}, first: 20) {
      nodes { id name slug }
      pageInfo { hasNextPage }
    }
  }
`);

function useAccounts(text: string) {
  const { data, fault, again } = useRead(AccountsNamedQuery, { text: text || null });
  const choices = data?.accounts.nodes.map(({ id, name, slug: more }) => ({ id, name, more }));
  return { data: choices && { choices, hasMore: data!.accounts.pageInfo.hasNextPage }, fault, again };
}

/** Chooses the account that a superadmin looks at, among any number. */
export function AccountPicker({ choose, onClose }: { choose(id: string): void; onClose(): void }) {
  return (
    <Picker
      title={t.accountPicker.title}
      label={t.accountPicker.search}
      none={t.accountPicker.none}
      chosen={useAccountId()}
      useFound={useAccounts}
      onPick={(id) => id !== undefined && choose(id)}
      onClose={onClose}
    />
  );
}
