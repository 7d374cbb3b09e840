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
import type { Outcome, SubmissionStanding } from '../../submissions/facts/submission.js';
import { SubmissionRank, type SubmissionRankState } from './submission-rank.js';
import { ALL_TIME } from './view-request.js';

/** Ranks to include in the response to a submission. */
export type RequestedRanks = 'all' | readonly string[] | undefined;

@ArgsType()
export class RanksArgs {
  @Field(() => [String], { nullable: true, description: 'Names of views. All if absent.' })
  views?: string[] | null;
}

/** Arguments of REST. */
@ArgsType()
export class StandingsOfArgs {
  @Field(() => ViewNames, { nullable: true, description: 'Names of views. All if absent.' })
  views?: string[] | null;
}

/** A field of ranks: the type that has it, and the fields that lead to it from the mutation's. */
export interface RanksField {
  owner: string;
  path: readonly string[];
}

/** The ranks that an operation selects, which are computed with the submission. */
export function requestedRanks(info: GraphQLResolveInfo, ...fields: RanksField[]): RequestedRanks {
  const names = fields.flatMap((field) => namesAt(info, field));
  if (names.length === 0) return undefined;
  if (names.some((one) => one == null)) return 'all';
  return [...new Set((names as string[][]).flat())];
}

/** The views of each selection of the field; null: all. */
function namesAt(info: GraphQLResolveInfo, { owner, path }: RanksField): (string[] | null | undefined)[] {
  const type = info.schema.getType(owner);
  const definition = isObjectType(type) ? type.getFields()[path.at(-1)!] : undefined;
  if (!definition) return [];
  return nodesAt(info, path).map(
    (node) => getArgumentValues(definition, node, info.variableValues).views as string[] | null | undefined,
  );
}

/** True if the operation selects the field at this path of the payload, fragments included. */
export function selects(info: GraphQLResolveInfo, ...path: string[]): boolean {
  return nodesAt(info, path).length > 0;
}

function nodesAt(info: GraphQLResolveInfo, path: readonly string[]): readonly FieldNode[] {
  return path.reduce<readonly FieldNode[]>(
    (parents, name) => parents.flatMap((node) => selected(info, node.selectionSet, name)),
    info.fieldNodes,
  );
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
  requested: RequestedRanks,
): Promise<void> {
  if (requested === undefined || requested === 'all') return;
  const rows = await context.loaders.of(viewRowsOfBoard).load(boardId);
  const strange = requested.find((name) => !rows?.some((row) => row.name === name));
  if (rows && strange !== undefined) throw invalidView(`The board has no view ${strange}.`);
}

/** The ranks of a response, in the order in which the views are declared. @param views absent: all */
export async function ranksOfOutcome(
  context: Context,
  { standings = [], score }: Pick<Outcome, 'standings' | 'score'>,
  views: readonly string[] | null | undefined,
): Promise<SubmissionRank[]> {
  const rows = (await context.loaders.of(viewRowsOfBoard).load(score.boardId)) ?? [];
  return rows.flatMap(({ name, by_tags, status }) => {
    if (views && !views.includes(name)) return [];
    const written = standings.find(({ view }) => view === name);
    if (!written) return status === 'building' ? [nothing(name, 'building')] : [];
    return [rankOf(written, by_tags)];
  });
}

function nothing(view: string, state: SubmissionRankState): SubmissionRank {
  return Object.assign(new SubmissionRank(), {
    view,
    periodKey: null,
    where: null,
    state,
    rank: null,
    displayRank: null,
    totalCount: null,
    previousRank: null,
    improved: false,
  });
}

function rankOf(
  { view, key, group, rank, displayRank, total, previousRank, improved, reason }: SubmissionStanding,
  tags: readonly string[],
): SubmissionRank {
  const isRanked = rank !== null;
  const values = group ? group.split(',') : [];
  return Object.assign(new SubmissionRank(), {
    view,
    periodKey: key || ALL_TIME,
    where: values.length > 0 ? Object.fromEntries(tags.map((tag, i) => [tag, values[i] ?? ''])) : null,
    state: isRanked ? 'ranked' : reason === 'TOO_MANY_GROUPS' ? 'too_many_groups' : 'not_ranked',
    rank,
    displayRank,
    totalCount: total,
    previousRank,
    improved,
  });
}
