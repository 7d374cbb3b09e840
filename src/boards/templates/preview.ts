import { Field, Int, ObjectType } from 'type-graphql';
import { type DomainError, invalidField, present } from '../../base/errors.js';
import type { Context } from '../../graphql/context.js';
import { DateTime } from '../../graphql/scalars.js';
import { boundsOf } from './make-board.js';
import { loadTemplate } from './read.js';
import { boardName, checkNaming } from './rules.js';
import { type BoardTemplate, type PreviewBoardTemplateInput, templateFields } from './template.js';
import { type TemplateWindow, windowAt, windowsFromOf } from './windows.js';

/** Number of windows that a preview shows. */
const WINDOWS = 5;

@ObjectType({ description: 'A board that a template would create.', simpleResolvers: true })
export class BoardPreview {
  @Field(() => String, { description: 'Name that it would get.' })
  name!: string;

  @Field(() => Int, { description: 'Its position in the series.' })
  seriesNumber!: number;

  @Field(() => DateTime, { description: 'When it would be created.' })
  madeAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it would start. Null if it would not be created.',
  })
  startsAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it would end. Null if it would not be created.',
  })
  endsAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why it would not be created. Null if it would be.',
  })
  fault!: string | null;

  @Field(() => BoardPreview, {
    nullable: true,
    description:
      'The board that the template creates instead until it is saved again, of a template whose windows are still in UTC. Null for others.',
  })
  untilSaved!: Omit<BoardPreview, 'untilSaved'> | null;
}

type Previewed = Pick<
  BoardTemplate,
  | 'name'
  | 'nameTemplate'
  | 'series'
  | 'repeatInterval'
  | 'nextRunAt'
  | 'windowsFrom'
  | 'timeZone'
  | 'windowTimeZone'
  | 'startsAt'
  | 'endsAt'
  | 'boardsMade'
>;

/**
 * The next boards of a template, changed as in the input, or of one that is not saved.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED
 */
export async function previewTemplate(
  context: Context,
  { id, ...input }: PreviewBoardTemplateInput,
): Promise<BoardPreview[]> {
  const stored = id == null ? undefined : await loadTemplate(context, id);
  const template = previewed(input, stored);
  checkNaming(template);
  const now = new Date(context.clock());
  const present = stored && stored.windowTimeZone !== stored.timeZone ? nextBoards(stored, now) : [];
  return nextBoards(template, now).map((board, i) => ({ ...board, untilSaved: present[i] ?? null }));
}

function nextBoards(template: Previewed, now: Date): Omit<BoardPreview, 'untilSaved'>[] {
  const pattern = template.nameTemplate ?? template.name;
  const first = template.nextRunAt > now ? template.nextRunAt : now;
  let window = windowAt(template, first);
  return Array.from({ length: WINDOWS }, (_, i) => {
    if (i > 0) window = windowAt(template, window.end);
    const seriesNumber = template.boardsMade + i + 1;
    const madeAt = i === 0 && window.start < now ? now : window.start;
    const name = boardName(pattern, window.start, template.windowTimeZone, seriesNumber);
    return { name, seriesNumber, madeAt, ...boundsOrFault(template, window, madeAt) };
  });
}

function previewed(
  input: Omit<PreviewBoardTemplateInput, 'id'>,
  stored: BoardTemplate | undefined,
): Previewed {
  const required = <K extends 'name' | 'repeatInterval' | 'nextRunAt'>(field: K) => {
    const value = input[field] ?? stored?.[field];
    if (value == null)
      throw invalidField(['input', field], 'is required when no template id is given', 'missing');
    return value as NonNullable<Previewed[K]>;
  };
  const optional = <K extends 'nameTemplate' | 'series' | 'startsAt' | 'endsAt'>(field: K) =>
    (input[field] === undefined ? stored?.[field] : input[field]) ?? null;
  const rhythm = {
    repeatInterval: required('repeatInterval'),
    nextRunAt: required('nextRunAt'),
    timeZone: input.timeZone ?? stored?.timeZone ?? templateFields.timeZone.initial!,
  };
  return {
    name: required('name').trim(),
    nameTemplate: optional('nameTemplate')?.trim() ?? null,
    series: optional('series')?.trim() ?? null,
    ...rhythm,
    windowsFrom: windowsFromOf(stored, rhythm),
    windowTimeZone: rhythm.timeZone,
    startsAt: optional('startsAt'),
    endsAt: optional('endsAt'),
    boardsMade: stored?.boardsMade ?? 0,
  };
}

function boundsOrFault(template: Pick<Previewed, 'startsAt' | 'endsAt'>, window: TemplateWindow, at: Date) {
  try {
    return { ...boundsOf(template, window, at), fault: null };
  } catch (error) {
    return { startsAt: null, endsAt: null, fault: present(error as DomainError).message };
  }
}
