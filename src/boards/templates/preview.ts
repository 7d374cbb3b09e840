import { Field, Int, ObjectType } from 'type-graphql';
import { type DomainError, invalidField, present } from '../../base/errors.js';
import type { Context } from '../../graphql/context.js';
import { DateTime } from '../../graphql/scalars.js';
import { intervalMillis, type TemplateWindow, windowAt } from './interval.js';
import { boundsOf } from './make-board.js';
import { loadTemplate } from './read.js';
import { boardName, checkNaming } from './rules.js';
import type { BoardTemplate, PreviewBoardTemplateInput } from './template.js';

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
}

type Previewed = Pick<
  BoardTemplate,
  'name' | 'nameTemplate' | 'series' | 'repeatInterval' | 'nextRunAt' | 'startsAt' | 'endsAt' | 'boardsMade'
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
  const template = { ...previewed(input, stored), boardsMade: stored?.boardsMade ?? 0 };
  checkNaming(template);
  const millis = intervalMillis(template.repeatInterval)!;
  const now = new Date(context.clock());
  const pattern = template.nameTemplate ?? template.name;
  return windowsFrom(template.nextRunAt, millis, now).map((window, i) => {
    const seriesNumber = template.boardsMade + i + 1;
    const made = i === 0 && window.start < now ? now : window.start;
    const name = boardName(pattern, window.start, seriesNumber);
    return { name, seriesNumber, madeAt: made, ...boundsOrFault(template, window, made) };
  });
}

function previewed(
  input: Omit<PreviewBoardTemplateInput, 'id'>,
  stored: Previewed | undefined,
): Omit<Previewed, 'boardsMade'> {
  const required = <K extends 'name' | 'repeatInterval' | 'nextRunAt'>(field: K) => {
    const value = input[field] ?? stored?.[field];
    if (value == null)
      throw invalidField(['input', field], 'is required when no template id is given', 'missing');
    return value as NonNullable<Previewed[K]>;
  };
  const optional = <K extends 'nameTemplate' | 'series' | 'startsAt' | 'endsAt'>(field: K) =>
    (input[field] === undefined ? stored?.[field] : input[field]) ?? null;
  return {
    name: required('name').trim(),
    nameTemplate: optional('nameTemplate')?.trim() ?? null,
    series: optional('series')?.trim() ?? null,
    repeatInterval: required('repeatInterval'),
    nextRunAt: required('nextRunAt'),
    startsAt: optional('startsAt'),
    endsAt: optional('endsAt'),
  };
}

function windowsFrom(first: Date, millis: number, now: Date): TemplateWindow[] {
  const { start } = first > now ? { start: first } : windowAt(first, millis, now);
  return Array.from({ length: WINDOWS }, (_, i) => {
    const at = start.getTime() + i * millis;
    return { start: new Date(at), end: new Date(at + millis) };
  });
}

function boundsOrFault(template: Pick<Previewed, 'startsAt' | 'endsAt'>, window: TemplateWindow, at: Date) {
  try {
    return { ...boundsOf(template, window, at), fault: null };
  } catch (error) {
    return { startsAt: null, endsAt: null, fault: present(error as DomainError).message };
  }
}
