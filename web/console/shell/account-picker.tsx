import { useEffect, useState } from 'react';
import { useRead } from '../api/hooks.js';
import { useAccountId } from '../api/me.js';
import { graphql } from '../generated/gql.js';
import { Button, TextField } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { Loaded } from '../parts/states.js';
import { t } from '../texts.js';

const AccountsNamedQuery = graphql(`
  query AccountsNamed($text: String) {
    accounts(filter: {text: $text}, orderBy: {field: NAME}, first: 20) {
      nodes { id name slug }
      pageInfo { hasNextPage }
    }
  }
`);

const PAUSE_MS = 120;

/** Chooses the account that a superadmin looks at, among any number. */
export function AccountPicker({ choose, onClose }: { choose(id: string): void; onClose(): void }) {
  const chosen = useAccountId();
  const [typed, setTyped] = useState('');
  const [sought, setSought] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSought(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data, fault, again } = useRead(AccountsNamedQuery, { text: sought || null });
  const pick = (id: string | undefined) => {
    if (id === undefined) return;
    onClose();
    choose(id);
  };
  return (
    <Dialog
      title={t.accountPicker.title}
      onClose={onClose}
      onSubmit={() => sought === typed.trim() && pick(data?.accounts.nodes[0]?.id)}
      footer={
        <Button look="quiet" onClick={onClose}>
          {t.cancel}
        </Button>
      }
    >
      <TextField
        label={t.accountPicker.search}
        type="search"
        maxLength={100}
        value={typed}
        onText={setTyped}
        autoFocus
      />
      <Loaded data={data?.accounts} fault={fault} again={again} rows={4}>
        {({ nodes, pageInfo }) => (
          <>
            <ul className="choices-list">
              {nodes.map(({ id, name, slug }) => (
                <li key={id}>
                  <button type="button" aria-current={id === chosen || undefined} onClick={() => pick(id)}>
                    <span className="name">{name}</span> <span className="small soft">{slug}</span>
                    {id === chosen && <Icon name="check" />}
                  </button>
                </li>
              ))}
            </ul>
            <p className="hint" role="status">
              {nodes.length === 0
                ? t.accountPicker.none(sought)
                : pageInfo.hasNextPage
                  ? t.accountPicker.more
                  : ''}
            </p>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
