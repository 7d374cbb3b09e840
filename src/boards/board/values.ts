import type { InsertOf, PatchOf } from '../../db/row.js';
import { tagsOf } from '../../games/save.js';
import type { Board } from './board.js';
import type { CreateBoardInput, UpdateBoardInput } from './inputs.js';
import type { BoardRules } from './rules.js';

/** Input of a new board; a template adds the board's number in its series. */
export type NewBoard = CreateBoardInput & Partial<Pick<Board, 'seriesNumber' | 'periodStartsAt'>>;

type Made = 'id' | 'slug' | 'shortCode' | 'createdAt' | 'updatedAt' | keyof BoardRules;

/** The columns of a new board that are stored as they were given, or by default. */
export function valuesOf(input: NewBoard): Omit<InsertOf<Board>, Made> {
  return {
    accountId: input.accountId,
    gameId: input.gameId,
    name: input.name.trim(),
    description: input.description ?? null,
    icon: input.icon?.trim() ?? null,
    unit: input.unit?.trim() ?? null,
    isActive: input.isActive ?? true,
    isPublished: input.isPublished ?? true,
    startsAt: input.startsAt ?? null,
    endsAt: input.endsAt ?? null,
    tags: tagsOf(input.tags ?? []),
    templateName: input.templateName?.trim() ?? null,
    createdFromTemplateId: input.createdFromTemplateId ?? null,
    seriesNumber: input.seriesNumber ?? null,
    periodStartsAt: input.periodStartsAt ?? null,
  };
}

type Elsewhere = keyof BoardRules | 'ratioConfig' | 'createdFromTemplateId';

/** The columns that an update changes, rules and template apart. */
export function changesOf(input: UpdateBoardInput): PatchOf<Board, UpdateBoardInput, Elsewhere> {
  const { description, isActive, isPublished, startsAt, endsAt } = input;
  return {
    description,
    isActive,
    isPublished,
    startsAt,
    endsAt,
    name: input.name?.trim(),
    shortCode: input.shortCode?.toUpperCase(),
    icon: input.icon?.trim() ?? input.icon,
    unit: input.unit?.trim() ?? input.unit,
    tags: input.tags && tagsOf(input.tags),
    templateName: input.templateName?.trim() ?? input.templateName,
  };
}
