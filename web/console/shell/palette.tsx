import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from 'urql';
import { useCurrentGame } from '../api/games.js';
import { useAccountId, useMe } from '../api/me.js';
import { chosenAccount, lastGame } from '../api/session.js';
import { graphql } from '../generated/gql.js';
import type { SearchQuery as Answer, HitFragment } from '../generated/graphql.js';
import { useModal } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { t } from '../texts.js';
import { placeOf } from './hit.js';
import { recentIds } from './recent.js';

const SearchQuery = graphql(`
  query Search($accountId: ID, $text: String!, $typed: Boolean!, $gameId: ID, $recent: [ID!]!, $first: Int!, $all: Boolean!) {
    search(accountId: $accountId, text: $text, gameId: $gameId, first: $first) @include(if: $typed) { ...Hit }
    nodes(ids: $recent) { ...Hit }
  }
  fragment Hit on Node {
    __typename
    id
    ... on Account { name slug }
    ... on Board { name shortCode game { slug name } account @include(if: $all) { id name } }
    ... on Identity { displayName game { slug name } account @include(if: $all) { id name } }
    ... on Game { name slug account @include(if: $all) { id name } }
    ... on BoardTemplate { name game { slug name } account @include(if: $all) { id name } }
    ... on User { displayName email account @include(if: $all) { id name } }
    ... on ApiKey { name prefix account @include(if: $all) { id name } }
    ... on JamCode { code description }
  }
`);

const GROUPS = [
  'Board',
  'Identity',
  'Game',
  'BoardTemplate',
  'User',
  'ApiKey',
  'Account',
  'JamCode',
] as const;
/** Hits of a kind that are shown at first; all of them at most. */
const FEW = 5;
const ALL = 100;
/** A pause in typing after which is searched. */
const PAUSE_MS = 120;
const text = t.search;

interface Group {
  kind: (typeof GROUPS)[number] | 'recent';
  title: string;
  hits: HitFragment[];
  /** There are more than those. */
  hasMore: boolean;
}

/** The account of a hit that a superadmin sees. */
const accountOf = (hit: HitFragment) => ('account' in hit ? hit.account : undefined);

/** What the service finds for a text once it pauses; before a text, what was opened last. The last answer stays until the next one. */
function useGroups(typed: string, whole: Group['kind'] | undefined) {
  const client = useClient();
  const accountId = useAccountId();
  const { superAdmin } = useMe();
  const gameId = useCurrentGame()?.id;
  const [answer, setAnswer] = useState<{ sought: string; data?: Answer | undefined }>();
  useEffect(() => {
    let ended = false;
    const read = async () => {
      const recent = recentIds(accountId);
      const variables = {
        ...{ text: typed, typed: typed !== '', gameId, recent, all: superAdmin },
        accountId: superAdmin ? null : accountId,
        first: whole ? ALL : FEW + 1,
      };
      const { data } = await client
        .query(SearchQuery, variables, { requestPolicy: 'network-only' })
        .toPromise();
      if (!ended) setAnswer({ sought: typed, data });
    };
    const timer = setTimeout(() => void read(), typed === '' || whole ? 0 : PAUSE_MS);
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [client, accountId, superAdmin, gameId, typed, whole]);
  const groups = useMemo((): Group[] => {
    if (!answer?.data) return [];
    const { sought, data } = answer;
    const seen = data.nodes.filter((hit) => hit !== null && isNamed(hit, sought)) as HitFragment[];
    const isNew = (hit: HitFragment) => placeOf(hit) && !seen.some(({ id }) => id === hit.id);
    const found = (data.search ?? []).filter(isNew);
    const kinds = GROUPS.map((kind): Group => {
      const hits = found.filter((hit) => hit.__typename === kind);
      const few = kind === whole ? hits : hits.slice(0, FEW);
      return { kind, title: text.kinds[kind], hits: few, hasMore: few.length < hits.length };
    });
    const recent: Group = { kind: 'recent', title: text.recent, hits: seen, hasMore: false };
    return [recent, ...kinds].filter(({ hits }) => hits.length > 0);
  }, [answer, whole]);
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
  const [whole, setWhole] = useState<Group['kind']>();
  const { groups, sought, answered } = useGroups(typed.trim(), whole);
  const { superAdmin } = useMe();
  const accountId = useAccountId();
  /** Hits, and the kinds of which all can be shown. */
  const hits = groups.flatMap(({ kind, hits, hasMore }) => (hasMore ? [...hits, kind] : hits));
  const active = Math.min(chosen, Math.max(hits.length - 1, 0));
  /** Leaves for a hit, whose account is shown from then on. */
  const leave = (hit: HitFragment) => {
    close();
    const account = hit.__typename === 'Account' ? hit : accountOf(hit);
    if (!superAdmin || !account || account.id === accountId) return;
    lastGame.set(null);
    chosenAccount.set(account.id);
  };
  const open = (hit: HitFragment | Group['kind'] | undefined) => {
    if (typeof hit === 'string') return setWhole(hit);
    const place = hit && placeOf(hit);
    if (!place) return;
    leave(hit);
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
            setWhole(undefined);
            setChosen(0);
          }}
        />
        <button type="button" className="button quiet" onClick={close}>
          {t.close}
        </button>
      </div>
      <div className="found" id="found" role="listbox" aria-label={text.results}>
        {groups.map(({ kind, title, hits, hasMore }) => (
          <fieldset key={kind} aria-label={title}>
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
                  onClick={() => leave(hit)}
                >
                  <span className="name">{place.name}</span>{' '}
                  <span className="faint-text small">
                    {[place.detail, accountOf(hit)?.name].filter(Boolean).join(' · ')}
                  </span>
                </Link>
              );
            })}
            {hasMore && (
              <ShowAll at={++index} active={active} choose={setChosen} show={() => setWhole(kind)} />
            )}
          </fieldset>
        ))}
      </div>
      <p className={hits.length > 0 ? 'hidden-text' : 'found-none'} role="status">
        {hits.length > 0
          ? text.found(hits.filter((hit) => typeof hit !== 'string').length)
          : sought === ''
            ? text.hint
            : answered && text.none(sought)}
      </p>
    </dialog>
  );
}

interface ShowAllProps {
  at: number;
  active: number;
  choose(at: number): void;
  show(): void;
}

/** The last option of a group that has more: a click leaves the text to be typed on. */
function ShowAll({ at, active, choose, show }: ShowAllProps) {
  return (
    <button
      type="button"
      className="show-all"
      id={`found-${at}`}
      role="option"
      tabIndex={-1}
      aria-selected={at === active}
      onMouseMove={() => choose(at)}
      onMouseDown={(event) => event.preventDefault()}
      onClick={show}
    >
      {text.showAll}
    </button>
  );
}
