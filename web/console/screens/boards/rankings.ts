import { useEffect, useRef, useState } from 'react';
import type { StoredRule } from '../../api/closing-rules.js';
import type { DimensionInput, TagSetter, TagSource, TiePolicy, Weekday } from '../../generated/graphql.js';
import { type RuleDraft, ruleDraft, ruleInput } from '../closings/rule-draft.js';
import { newKey, type StoredView, type ViewDraft, viewDraft, viewInput } from './view-draft.js';

/** A tag as the form holds it; its values separated by commas. */
export interface TagDraft {
  key: number;
  name: string;
  source: TagSource;
  setBy: TagSetter;
  values: string;
}

/** All rankings of a board or of a template's boards, and the days and tags that they follow, as the form holds them. */
export interface Rankings {
  timeZone: string;
  weekStart: Weekday;
  dayStart: string;
  tiePolicy: TiePolicy;
  tags: readonly TagDraft[];
  views: readonly ViewDraft[];
  closingRules: readonly RuleDraft[];
  /** Key of the view that public pages show first; null: the board's own ranking. */
  first: number | null;
}

/** The same of a stored board or template. */
export interface StoredRankings {
  timeZone: string;
  weekStart: Weekday;
  dayStart: string;
  tiePolicy: TiePolicy;
  dimensions: readonly {
    name: string;
    source: TagSource;
    setBy: TagSetter;
    values?: readonly string[] | null;
  }[];
  views: readonly StoredView[];
  closingRules: readonly StoredRule[];
  defaultView?: string | null;
}

/** Rankings that a new board or template has when nothing is chosen. */
export const NO_RANKINGS: StoredRankings = {
  timeZone: 'UTC',
  weekStart: 'MONDAY',
  dayStart: '00:00',
  tiePolicy: 'EARLIEST',
  dimensions: [],
  views: [],
  closingRules: [],
};

export function newTag(): TagDraft {
  return { key: newKey(), name: '', source: 'SUBMISSION', setBy: 'CLIENT', values: '' };
}

function draftOf(stored: StoredRankings): Rankings {
  const { timeZone, weekStart, dayStart, tiePolicy, dimensions, views, closingRules } = stored;
  const drafts = views.map(viewDraft);
  return {
    ...{ timeZone, weekStart, dayStart, tiePolicy },
    tags: dimensions.map(({ name, source, setBy, values }) => ({
      ...{ key: newKey(), name, source, setBy },
      values: values?.join(', ') ?? '',
    })),
    views: drafts,
    first: drafts.find(({ name }) => name === stored.defaultView)?.key ?? null,
    closingRules: closingRules.map((rule) => ruleDraft(newKey(), rule)),
  };
}

function inputOf({ tags, views, closingRules, first, ...board }: Rankings) {
  return {
    ...board,
    timeZone: board.timeZone.trim(),
    dimensions: tags.map(({ name, source, setBy, values }): DimensionInput => {
      const listed = values
        .split(',')
        .map((value) => value.trim())
        .filter(Boolean);
      return { name: name.trim(), source, setBy, values: listed.length > 0 ? listed : null };
    }),
    views: views.map(viewInput),
    defaultView: views.find(({ key }) => key === first)?.name.trim() ?? null,
    closingRules: closingRules.map(ruleInput),
  };
}

/** The part of the input that differs from what is stored. */
export function rankingChanges(
  rankings: Rankings,
  stored: StoredRankings,
): Partial<ReturnType<typeof inputOf>> {
  const before: Record<string, unknown> = inputOf(draftOf(stored));
  const changed = Object.entries(inputOf(rankings)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(changed);
}

/**
 * The form's state, again from what is stored when that changes.
 * @param clear forgets the faults of the last request: their places are numbers of rows
 */
export function useRankings(stored: StoredRankings, clear: () => void) {
  const [rankings, setRankings] = useState(() => draftOf(stored));
  const content = JSON.stringify(inputOf(draftOf(stored)));
  const seen = useRef(content);
  useEffect(() => {
    if (seen.current !== content) setRankings(draftOf(stored));
    seen.current = content;
  }, [content, stored]);
  const change = (next: Rankings) => {
    const { views, tags, closingRules: rules } = rankings;
    const isFewer = next.views.length < views.length || next.tags.length < tags.length;
    if (isFewer || next.closingRules.length < rules.length) clear();
    setRankings(next);
  };
  return [rankings, change] as const;
}
