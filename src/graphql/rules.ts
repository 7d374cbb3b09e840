import { Arg, Extensions, ID } from 'type-graphql';
import { invalidField } from '../base/errors.js';
import { type IdKind, isId, prefixes } from '../base/ids.js';
import { frameOriginOf } from '../base/outbound/web-origin.js';
import { SLUG_SCHEMA } from '../base/slug.js';
import { isLabel, lengthOf, NO_CONTROL, nameFault, POINTS_A_CHARACTER } from '../base/text.js';
import { Checked } from './input-checks.js';

/** Prefix of the extensions that hold {@link JsonSchemaHints}. */
export const HINTS = 'schema:';

/** A rule in JSON Schema, as far as it can be expressed; OpenAPI shows it at input fields. */
interface JsonSchemaHints {
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  items?: JsonSchemaHints;
}

/** Documents the rule of slugs; `checkedSlug` checks it. */
export function IsSlug(): PropertyDecorator {
  return Extensions({ [`${HINTS}slug`]: SLUG_SCHEMA });
}

/**
 * One rule on a field of an input or args class. Absent and null pass: {@link NotNull} checks null. The message follows
 * the field's name; `type` is the `type` of the error's detail.
 */
export function Rule(
  type: string,
  message: string | ((value: unknown) => string),
  holds: (value: unknown) => boolean,
  schema?: JsonSchemaHints,
): PropertyDecorator {
  const checked = Checked(type, message, (value) => value === undefined || value === null || holds(value));
  // One extension per rule: a field may have several.
  const extend = schema && Extensions({ [`${HINTS}${type}`]: schema });
  return (target, property) => {
    checked(target, property);
    extend?.(target, property);
  };
}

/**
 * Marks an update's field whose column is not nullable: absent keeps the value, null is refused. OpenAPI shows it, too.
 */
export function NotNull(): PropertyDecorator {
  const extend = Extensions({ notNull: true });
  const checked = Checked('null', 'must not be null', (value) => value !== null);
  return (target, property) => {
    extend(target, property);
    checked(target, property);
  };
}

/** Marks a field of a response that REST leaves out where it is null. */
export function AbsentIfNull(): PropertyDecorator {
  return Extensions({ absentIfNull: true });
}

/** A number within bounds, both included. */
export function IsWithin(minimum: number, maximum: number): PropertyDecorator {
  return Rule(
    'range',
    `must be ${minimum} to ${maximum}`,
    (value) => typeof value === 'number' && value >= minimum && value <= maximum,
    { minimum, maximum },
  );
}

/** The message of {@link IsIdOf}. */
export function idMessage(kind: IdKind): string {
  return `must be an id like ${prefixes[kind]}_<uuid>`;
}

export function IsIdOf(kind: IdKind): PropertyDecorator {
  return Rule('id', idMessage(kind), (value) => isId(kind, value));
}

/** A single argument that is an id: `@IdArg('board') id: string`. @see Arg of type-graphql */
export function IdArg(kind: IdKind, name = 'id', description = 'The id of the record.'): ParameterDecorator {
  return (target, key, index) => {
    const decorate = Arg(name, () => ID, {
      description,
      validateFn: (value: unknown) => {
        if (!isId(kind, value)) throw invalidField([name], idMessage(kind), 'id');
      },
    });
    decorate(target, key as string, index);
  };
}

/** A display name: no control characters, and as people count characters so many without blanks around it. Writers trim it. */
export function IsName(min: 1 | 2, max: number): PropertyDecorator {
  return Rule(
    'length',
    (value) => nameFault(value, min, max)!,
    (value) => nameFault(value, min, max) === undefined,
    // JSON Schema counts code points.
    { minLength: min, maxLength: max * POINTS_A_CHARACTER, pattern: visibleText(min) },
  );
}

/** Pattern of text with at least `count` characters that are no blanks, none a control character. */
export function visibleText(count: 1 | 2): string {
  const blank = NO_CONTROL.replace('[^', '[^\\s');
  return `^${NO_CONTROL}*${`${blank}${NO_CONTROL}*`.repeat(count)}$`;
}

/** Multi-line free text. */
export function MaxLength(max: number): PropertyDecorator {
  return Rule(
    'length',
    `must be at most ${max} characters`,
    (value) => typeof value === 'string' && lengthOf(value) <= max,
    { maxLength: max },
  );
}

const MOST_TAGS = 32;
const LONGEST_TAG = 64;

export function AreTags(): PropertyDecorator {
  return Rule(
    'tags',
    `must be at most ${MOST_TAGS} tags of 1 to ${LONGEST_TAG} visible characters without control characters`,
    (value) =>
      Array.isArray(value) && value.length <= MOST_TAGS && value.every((tag) => isLabel(tag, 1, LONGEST_TAG)),
    { maxItems: MOST_TAGS, items: { minLength: 1, maxLength: LONGEST_TAG, pattern: `^${NO_CONTROL}*$` } },
  );
}

const MOST_ORIGINS = 10;

/** Origins of pages, as {@link frameOriginOf} reads them. */
export function AreFrameOrigins(): PropertyDecorator {
  return Rule(
    'origins',
    `must be at most ${MOST_ORIGINS} origins like https://example.com, without path and wildcards; http only on localhost`,
    (value) =>
      Array.isArray(value) &&
      value.length <= MOST_ORIGINS &&
      value.every((text) => typeof text === 'string' && frameOriginOf(text) !== undefined),
    { maxItems: MOST_ORIGINS, items: { format: 'uri', maxLength: 300 } },
  );
}

/** `http` or `https`, at most 2,000 characters. */
export function IsWebUrl(): PropertyDecorator {
  return Rule(
    'url',
    'must be an http or https URL',
    (value) => {
      if (typeof value !== 'string' || value.length > 2_000 || !URL.canParse(value)) return false;
      return /^https?:$/.test(new URL(value).protocol);
    },
    { format: 'uri', maxLength: 2_000 },
  );
}

export function Matches(type: string, pattern: RegExp, message: string): PropertyDecorator {
  // JSON Schema has no place for flags.
  const schema = pattern.flags === '' ? { pattern: pattern.source } : undefined;
  return Rule(type, message, (value) => typeof value === 'string' && pattern.test(value), schema);
}

/** Two letters in either case. Writers store them in upper case. */
export function IsCountry(): PropertyDecorator {
  return Matches('country', /^[A-Za-z]{2}$/, 'must be a two-letter ISO country code');
}

/** A name in this engine's time zone database. */
export function IsTimeZone(): PropertyDecorator {
  return Rule('timezone', 'must be an IANA time zone name like Europe/Berlin', isTimeZone);
}

/** Most cached spellings. There are some six hundred zones; the engine ignores case. */
const MOST_ZONES = 2_000;
const zones = new Set<string>();

function isTimeZone(value: unknown): boolean {
  // Newer engines accept offsets like +02:00, which are no zones.
  if (typeof value !== 'string' || !/^[A-Za-z]/.test(value)) return false;
  if (zones.has(value)) return true;
  try {
    // Takes a tenth of a millisecond, which every submission with a zone would cost.
    new Intl.DateTimeFormat('en', { timeZone: value });
  } catch {
    return false;
  }
  if (zones.size < MOST_ZONES) zones.add(value);
  return true;
}

/** A blank key would be the same for all submissions. */
export const IDEMPOTENCY_KEY = /^(?=.{1,128}$) *[\x21-\x7e][\x20-\x7e]*$/;
export const IDEMPOTENCY_SENTENCE = 'must be 1 to 128 printable ASCII characters, not only blanks';

export function IsIdempotencyKey(): PropertyDecorator {
  return Rule(
    'idempotency_key',
    IDEMPOTENCY_SENTENCE,
    (value) => typeof value === 'string' && IDEMPOTENCY_KEY.test(value),
    { maxLength: 128, pattern: '^ *[!-~][ -~]*$' },
  );
}
