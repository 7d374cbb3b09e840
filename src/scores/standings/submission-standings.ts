import {
  type FieldNode,
  type GraphQLResolveInfo,
  getArgumentValues,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { ArgsType, Field } from 'type-graphql';
import { viewRowsOfBoard } from '../../boards/views/read.js';
import { invalidView } from '../../boards/views/rules.js';
import { ViewNames } from '../../boards/views/tag-filter.js';
import type { Context } from '../../graphql/context.js';
import type { Outcome, SubmissionStanding as WrittenStanding } from '../../submissions/facts/submission.js';
import { type StandingState, SubmissionStanding } from './standing.js';
import { ALL_TIME } from './view-request.js';

/** Standings to include in the response to a submission. */
export type RequestedStandings = 'all' | readonly string[] | undefined;

@ArgsType()
export class SubmissionStandingsArgs {
  @Field(() => ViewNames, { nullable: true, description: 'The views; all when absent.' })
  views?: string[] | null;
}

const FIELD = 'standings';

/**
 * The standings a query selects from a submission's result, which are computed with the submission.
 * @param type its name
 * @param path the field of the payload that holds the results; none: the payload is the result
 */
export function requestedStandings(
  info: GraphQLResolveInfo,
  type: string,
  ...path: string[]
): RequestedStandings {
  const owner = info.schema.getType(type);
  const definition = isObjectType(owner) ? owner.getFields()[FIELD] : undefined;
  const nodes = [...path, FIELD].reduce<readonly FieldNode[]>(
    (parents, name) => parents.flatMap((node) => selected(info, node.selectionSet, name)),
    info.fieldNodes,
  );
  if (!definition || nodes.length === 0) return undefined;
  const names = nodes.map((node) => getArgumentValues(definition, node, info.variableValues).views);
  if (names.some((one) => one == null)) return 'all';
  return [...new Set((names as string[][]).flat())];
}

function selected(info: GraphQLResolveInfo, set: SelectionSetNode | undefined, name: string): FieldNode[] {
  return (set?.selections ?? []).flatMap((selection) => {
    if (selection.kind === 'Field') return selection.name.value === name ? [selection] : [];
    if (selection.kind === 'InlineFragment') return selected(info, selection.selectionSet, name);
    return selected(info, info.fragments[selection.name.value]?.selectionSet, name);
  });
}

/** Checks the names before anything is written. @throws DomainError INVALID_VIEW */
export async function checkRequested(
  context: Context,
  boardId: string,
  requested: RequestedStandings,
): Promise<void> {
  if (requested === undefined || requested === 'all') return;
  const rows = await context.loaders.of(viewRowsOfBoard).load(boardId);
  const strange = requested.find((name) => !rows?.some((row) => row.name === name));
  if (rows && strange !== undefined) throw invalidView(`The board has no view ${strange}.`);
}

/** The standings of a response, in the order in which the views are declared. */
export async function standingsOfOutcome(
  context: Context,
  { standings = [], score }: Pick<Outcome, 'standings' | 'score'>,
  { views }: SubmissionStandingsArgs,
): Promise<SubmissionStanding[]> {
  const rows = (await context.loaders.of(viewRowsOfBoard).load(score.boardId)) ?? [];
  return rows.flatMap(({ name, by_tags, status }) => {
    if (views && !views.includes(name)) return [];
    const written = standings.find(({ view }) => view === name);
    if (!written) return status === 'building' ? [nothing(name, 'building')] : [];
    return [standingOf(written, by_tags)];
  });
}

function nothing(view: string, state: StandingState): SubmissionStanding {
  return Object.assign(new SubmissionStanding(), {
    view,
    key: null,
    where: null,
    state,
    rank: null,
    displayRank: null,
    total: null,
    previousRank: null,
    improved: false,
  });
}

function standingOf(
  { view, key, group, rank, displayRank, total, previousRank, improved, reason }: WrittenStanding,
  tags: readonly string[],
): SubmissionStanding {
  const isRanked = rank !== null;
  const values = group ? group.split(',') : [];
  return Object.assign(new SubmissionStanding(), {
    view,
    key: key || ALL_TIME,
    where: values.length > 0 ? Object.fromEntries(tags.map((tag, i) => [tag, values[i] ?? ''])) : null,
    state: isRanked ? 'ranked' : reason === 'TOO_MANY_GROUPS' ? 'too_many_groups' : 'not_ranked',
    rank,
    displayRank,
    total,
    previousRank,
    improved,
  });
}
