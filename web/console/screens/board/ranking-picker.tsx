import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { BoardDetails } from '../../api/boards.js';
import { useRead } from '../../api/hooks.js';
import type { ShownRanking } from '../../charts/distribution.js';
import { graphql } from '../../generated/gql.js';
import { SelectField } from '../../parts/controls.js';
import { PICKER_TEXTS as text } from './texts.js';

const ViewPartsQuery = graphql(`
  query ViewParts($boardId: ID!, $view: String!, $period: String, $periods: Boolean!, $groups: Boolean!) {
    board(by: { id: $boardId }) {
      id
      view(name: $view) {
        name
        periods(first: 100) @include(if: $periods) { nodes { key state } }
        groups(period: $period, first: 100) @include(if: $groups) { nodes { key tags { name value } totalCount } }
      }
    }
  }
`);

const ROUTE = { from: '/games/$slug/boards/$code/$tab' } as const;
const NO_GROUP: ShownRanking['tags'] = [];

/**
 * The ranking that the address names: the board's own (`ranking` undefined), or one of a view with its period and group; without a
 * group its first one. `picker` chooses another. Until `ready`, which groups there are is not known.
 */
export function useChosenRanking(board: BoardDetails) {
  const { view: named, period, group } = useSearch(ROUTE);
  const navigate = useNavigate(ROUTE);
  const views = board.views.filter(({ status }) => status === 'LIVE');
  const view = views.find(({ name }) => name === named);
  const hasPeriods = !!view && (view.period ?? view.every ?? view.seasons) != null;
  const hasGroups = !!view && view.by.length > 0;
  const { data, fault } = useRead(
    ViewPartsQuery,
    { boardId: board.id, view: view?.name ?? '', period, periods: hasPeriods, groups: hasGroups },
    { pause: !hasPeriods && !hasGroups },
  );
  const parts = data?.board.view.name === view?.name ? data?.board.view : undefined;
  const groups = parts?.groups?.nodes ?? [];
  const shown = groups.find(({ key }) => key === group) ?? groups[0];
  const choose = (search: { view?: string; period?: string; group?: string }) =>
    void navigate({ search, replace: true });
  // A view that is gone leaves the address.
  useEffect(() => {
    if (named !== undefined && !view) choose({});
  }, [named, view]);
  const ranking: ShownRanking | undefined = view && {
    view: view.name,
    periodKey: period ?? null,
    // Without the names of types: it is an input, too.
    tags: shown?.tags.map(({ name, value }) => ({ name, value })) ?? NO_GROUP,
  };
  const periods = parts?.periods?.nodes.filter(({ state }) => state !== 'DROPPED') ?? [];
  const picker = views.length > 0 && (
    <>
      <SelectField
        bare
        label={text.ranking}
        value={view?.name ?? ''}
        options={[['', text.own], ...views.map(({ name }) => [name, name] as const)]}
        onPick={(name) => choose({ ...(name && { view: name }) })}
      />
      {hasPeriods && (
        <SelectField
          bare
          label={text.period}
          value={period ?? ''}
          options={[
            ['', text.current],
            ...periods.filter(({ state }) => state === 'CLOSED').map(({ key }) => [key, key] as const),
          ]}
          onPick={(key) => choose({ view: view.name, ...(key && { period: key }) })}
        />
      )}
      {hasGroups && groups.length > 0 && (
        <SelectField
          bare
          label={text.group}
          value={shown?.key ?? ''}
          options={groups.map(({ key, tags }) => [key, tags.map(({ value }) => value).join(', ')] as const)}
          onPick={(key) => choose({ view: view.name, ...(period && { period }), group: key })}
        />
      )}
    </>
  );
  // A group view without groups has no ranking to ask for.
  const isEmpty = hasGroups && parts !== undefined && groups.length === 0;
  return { ranking, picker, fault, isEmpty, ready: !hasGroups || parts !== undefined };
}
