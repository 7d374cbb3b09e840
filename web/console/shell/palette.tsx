import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from 'urql';
import { useCurrentGame } from '../api/games.js';
import { useAccountId } from '../api/me.js';
import { graphql } from '../generated/gql.js';
import type { SearchQuery as Answer, HitFragment } from '../generated/graphql.js';
import { useModal } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { t } from '../texts.js';
import { placeOf } from './hit.js';
import { recentIds } from './recent.js';

const SearchQuery = graphql(`
  query Search($accountId: ID!, $text: String!, $typed: Boolean!, $gameId: ID, $recent: [ID!]!) {
    search(accountId: $accountId, text: $text, gameId: $gameId) @include(if: $typed) { ...Hit }
    nodes(ids: $recent) { ...Hit }
  }
  fragment Hit on Node {
    __typename
    id
    ... on Board { name shortCode game { slug name } }
    ... on Identity { displayName game { slug name } }
    ... on Game { name slug }
    ... on BoardTemplate { name game { slug name } }
    ... on User { displayName email }
    ... on ApiKey { name prefix }
    ... on JamCode { code description }
  }
`);

const GROUPS = ['Board', 'Identity', 'Game', 'BoardTemplate', 'User', 'ApiKey', 'JamCode'] as const;
/** A pause in typing after which is searched. */
const PAUSE_MS = 120;
const text = t.search;

type Group = [title: string, hits: HitFragment[]];

/** What the service finds for a text once it pauses; before a text, what was opened last. The last answer stays until the next one. */
function useGroups(typed: string) {
  const client = useClient();
  const accountId = useAccountId();
  const gameId = useCurrentGame()?.id;
  const [answer, setAnswer] = useState<{ sought: string; data?: Answer | undefined }>();
  useEffect(() => {
    let ended = false;
    const read = async () => {
      const recent = recentIds(accountId);
      const variables = { accountId, text: typed, typed: typed !== '', gameId, recent };
      const { data } = await client
        .query(SearchQuery, variables, { requestPolicy: 'network-only' })
        .toPromise();
      if (!ended) setAnswer({ sought: typed, data });
    };
    const timer = setTimeout(() => void read(), typed === '' ? 0 : PAUSE_MS);
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [client, accountId, gameId, typed]);
  const groups = useMemo((): Group[] => {
    if (!answer?.data) return [];
    const { sought, data } = answer;
    const seen = data.nodes.filter((hit) => hit !== null && isNamed(hit, sought)) as HitFragment[];
    const isNew = (hit: HitFragment) => placeOf(hit) && !seen.some(({ id }) => id === hit.id);
    const found = (data.search ?? []).filter(isNew);
    const kinds = GROUPS.map(
      (kind): Group => [text.kinds[kind], found.filter((hit) => hit.__typename === kind)],
    );
    return [[text.recent, seen] as Group, ...kinds].filter(([, hits]) => hits.length > 0);
  }, [answer]);
  return { groups, sought: answer?.sought ?? '', answered: answer?.sought === typed };
}

const plain = (name: string) => name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
const isNamed = (hit: HitFragment, sought: string) => {
  const place = placeOf(hit);
  return place !== undefined && plain(place.name).includes(plain(sought));
};

/** Searches everything in the account, by keys or touch. */
export function Palette({ close }: { close(): void }) {
  const dialog = useModal();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const waits = useRef(false);
  const { groups, sought, answered } = useGroups(typed.trim());
  const hits = groups.flatMap(([, hits]) => hits);
  const active = Math.min(chosen, Math.max(hits.length - 1, 0));
  const open = (hit: HitFragment | undefined) => {
    const place = hit && placeOf(hit);
    if (!place) return;
    close();
    void navigate(place.link);
  };
  useEffect(() => {
    if (!answered || !waits.current) return;
    waits.current = false;
    open(hits[0]);
  }, [answered]);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active, dialog]);
  const move = (by: number) => setChosen((active + by + hits.length) % Math.max(hits.length, 1));
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape') close();
    else if (event.key !== 'Enter') return;
    else if (answered) open(hits[active]);
    else waits.current = true;
    event.preventDefault();
  };
  let index = -1;
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={text.label}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onPointerDown={(event) => event.target === event.currentTarget && close()}
    >
      <div className="palette-top">
        <Icon name="find" />
        <input
          className="input"
          type="search"
          role="combobox"
          aria-label={text.label}
          aria-expanded={hits.length > 0}
          aria-controls="found"
          aria-activedescendant={hits.length > 0 ? `found-${active}` : undefined}
          aria-autocomplete="list"
          placeholder={text.placeholder}
          value={typed}
          maxLength={64}
          autoComplete="off"
          onKeyDown={press}
          onChange={(event) => {
            setTyped(event.target.value);
            waits.current = false;
            setChosen(0);
          }}
        />
        <button type="button" className="button quiet" onClick={close}>
          {t.close}
        </button>
      </div>
      <div className="found" id="found" role="listbox" aria-label={text.results}>
        {groups.map(([title, hits]) => (
          <fieldset key={title} aria-label={title}>
            <p aria-hidden="true">{title}</p>
            {hits.map((hit) => {
              index += 1;
              const place = placeOf(hit)!;
              const at = index;
              return (
                <Link
                  key={hit.id}
                  {...place.link}
                  id={`found-${at}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={at === active}
                  onMouseMove={() => setChosen(at)}
                  onClick={close}
                >
                  <span className="name">{place.name}</span>{' '}
                  <span className="faint-text small">{place.detail}</span>
                </Link>
              );
            })}
          </fieldset>
        ))}
      </div>
      <p className={hits.length > 0 ? 'hidden-text' : 'found-none'} role="status">
        {hits.length > 0
          ? text.found(hits.length)
          : sought === ''
            ? text.hint
            : answered && text.none(sought)}
      </p>
    </dialog>
  );
}
