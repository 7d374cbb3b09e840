import { type Board, boardFields, type CreateBoardInput, phaseOf } from '../boards/board/board.js';
import { checkedBoard } from '../boards/board/save.js';
import { type RatioConfig, ratioConfigFields } from '../boards/ratios/ratio-config.js';
import { checkedTemplate } from '../boards/templates/save.js';
import {
  type BoardTemplate,
  type CreateBoardTemplateInput,
  templateFields,
} from '../boards/templates/template.js';
import type { ViewRow } from '../boards/views/rows.js';
import { type Declaration, declaredBy, type ViewLimits } from '../boards/views/rules.js';
import { declarationsOf } from '../boards/views/template-views.js';
import { type CreateGameInput, type Game, gameFields } from '../games/game.js';
import { checkedGame } from '../games/save.js';
import { newColumns } from '../graphql/records/record.js';
import { endpointFields, type WebhookEndpoint } from '../webhooks/endpoints/endpoint.js';
import { checkedEndpoint, type EndpointRules, type NewEndpoint } from '../webhooks/endpoints/save.js';
import type { Values } from './fields.js';

// What a file says of records, as the columns that their writes store: of an input, and of what is stored. Equal columns are no change.
// Undefined: the file leaves it as it is.

type Way = { way: string };

/** Columns that an input gives or that have a default; its place is where the file has it. */
function picked(fields: Record<string, Way>, record: object, more: readonly string[] = []): Values {
  const own = Object.keys(fields).filter((name) => /required|optional/.test(fields[name]!.way));
  const { accountId, gameId, ...values } = Object.fromEntries(
    [...own, ...more].map((name) => [name, record[name as keyof typeof record]]),
  ) as Values;
  return values;
}

/** Of lists whose order is of no effect. */
function inOneOrder<T>(items: readonly T[], keyOf: (item: T) => string | null): T[] {
  return items.toSorted((a, b) => ((keyOf(a) ?? '') < (keyOf(b) ?? '') ? -1 : 1));
}

const plainOrder = (items: readonly string[]) => inOneOrder(items, (item) => item);

type Lists = Pick<Board, 'dimensions' | 'closingRules'> & {
  views: readonly Omit<Declaration, 'mostGroups'>[];
};

function listsOf({ dimensions, closingRules, views }: Lists): Values {
  return {
    dimensions: inOneOrder(dimensions, ({ name }) => name),
    closingRules: inOneOrder(closingRules, ({ view }) => view),
    views: inOneOrder(views, ({ name }) => name).map(
      ({ name, rule, by, tiePolicy, keepPeriods, keepPodium, since }) => ({
        ...{ name, rule, by, tiePolicy, keepPeriods, keepPodium, since },
      }),
    ),
  };
}

export const gameColumns = {
  wanted(input: CreateGameInput): Values {
    return picked(gameFields, checkedGame(input).columns, ['antiCheatSettings']);
  },
  stored(game: Game): Values {
    return picked(gameFields, game, ['antiCheatSettings']);
  },
};

const HANDED = ['boardType', 'keepStrategy'];

export const boardColumns = {
  /** @param now epoch milliseconds */
  wanted(input: CreateBoardInput, limits: ViewLimits, now: number): Values {
    const { columns, rules, views } = checkedBoard(input, limits);
    const { shortCode, ratioConfig } = input;
    return {
      ...picked(boardFields, columns),
      ...rules,
      ...listsOf({ ...columns, views }),
      // The end of a board comes by itself, and closes it.
      isActive: phaseOf(columns, now) === 'ended' ? undefined : columns.isActive,
      shortCode: shortCode == null ? undefined : boardFields.shortCode.kind.stored!(shortCode),
      ratioConfig: ratioConfig ? newColumns(ratioConfigFields, ratioConfig) : null,
    };
  },
  stored(board: Board, views: readonly ViewRow[], ratio: RatioConfig | undefined): Values {
    return {
      ...picked(boardFields, board, [...HANDED, 'shortCode']),
      ...listsOf({ ...board, views: views.map(declaredBy) }),
      ratioConfig: ratio ? picked(ratioConfigFields, ratio) : null,
    };
  },
};

export const templateColumns = {
  wanted(input: CreateBoardTemplateInput, limits: ViewLimits): Values {
    const { columns, rules, views } = checkedTemplate(input, limits);
    return {
      ...picked(templateFields, columns),
      ...rules,
      ...listsOf({ ...columns, views }),
      config: columns.config,
    };
  },
  stored(template: BoardTemplate): Values {
    return {
      ...picked(templateFields, template, [...HANDED, 'config']),
      ...listsOf({ ...template, views: declarationsOf(template) }),
    };
  },
};

function filtersOf({
  events,
  gameIds,
  boardIds,
}: Pick<WebhookEndpoint, 'events' | 'gameIds' | 'boardIds'>): Values {
  return { events: plainOrder(events), gameIds: plainOrder(gameIds), boardIds: plainOrder(boardIds) };
}

export const endpointColumns = {
  wanted(input: NewEndpoint, rules: EndpointRules): Values {
    const columns = checkedEndpoint(rules, input);
    return { ...picked(endpointFields, columns), ...filtersOf(columns), paused: input.paused };
  },
  stored(endpoint: WebhookEndpoint): Values {
    const paused = endpoint.status !== 'active';
    return { ...picked(endpointFields, endpoint), ...filtersOf(endpoint), paused };
  },
};
