import { Float, ID, Int } from 'type-graphql';
import type { IdKind } from '../../base/ids.js';
import { Nested } from '../input-checks.js';
import { AreTags, IsIdOf, IsName, IsSlug, IsTimeZone, IsWithin, Matches, MaxLength, Rule } from '../rules.js';
import { DateTime, JsonObject } from '../scalars.js';

/** What a field holds. `V`: its column; `C`, `U`: what callers give for it when they create and when they change a record. */
export interface FieldKind<V, C = V, U = C> {
  type: () => unknown;
  /** The types of both inputs, where they are others. */
  given?: { create: unknown; update: unknown };
  rules?: PropertyDecorator[];
  /** The rules in words: a sentence of the inputs. */
  limits?: string;
  /** What is stored of a given value. @throws DomainError VALIDATION_FAILED */
  stored?(given: NonNullable<C | U>): V;
  orNull?: true;
  id?: IdKind;
  choices?: Record<string, string>;
  json?: true;
}

function orNull<V, C, U>(kind: FieldKind<V, C, U>) {
  return { ...kind, orNull: true } as FieldKind<V | null, C | null, U | null>;
}

const text: FieldKind<string> = { type: () => String };
const flag: FieldKind<boolean> = { type: () => Boolean };
const count: FieldKind<number> = { type: () => Int };
const moment: FieldKind<Date> = { type: () => DateTime };
const jsonObject: FieldKind<Record<string, unknown>> = { type: () => JsonObject };
const slug: FieldKind<string> = { ...text, rules: [IsSlug()], limits: '2 to 50 characters.' };
const timeZone: FieldKind<string> = { ...text, rules: [IsTimeZone()] };

const tags: FieldKind<string[]> = {
  type: () => [String],
  rules: [AreTags()],
  limits: 'Up to 32, of 1 to 64 characters.',
  stored: (given) => given.map((tag) => tag.trim()),
};

/** One line that is shown. */
function label(max: number, min: 1 | 2 = 1): FieldKind<string> {
  const stored = (given: string) => given.trim();
  return { ...text, rules: [IsName(min, max)], limits: `${min} to ${max} characters.`, stored };
}

function longText(max: number): FieldKind<string> {
  return { ...text, rules: [MaxLength(max)], limits: `Up to ${max.toLocaleString('en')} characters.` };
}

function whole(min: number, max: number): FieldKind<number> {
  return {
    ...count,
    rules: [IsWithin(min, max)],
    limits: `${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`,
  };
}

function decimal(min: number, max: number): FieldKind<number> {
  return { ...whole(min, max), type: () => Float };
}

const above0: FieldKind<number> = {
  type: () => Float,
  rules: [
    Rule('range', 'must be above 0', (value) => Number.isFinite(value) && Number(value) > 0, {
      exclusiveMinimum: 0,
    }),
  ],
  limits: 'Above 0.',
};

function atLeast(min: number): FieldKind<number> {
  const holds = (value: unknown) => typeof value === 'number' && value >= min;
  return { ...count, rules: [Rule('range', `must be at least ${min}`, holds, { minimum: min })] };
}

function idOf(kind: IdKind): FieldKind<string> {
  return { type: () => ID, rules: [IsIdOf(kind)], id: kind };
}

function oneOf<T extends string>(choices: Record<string, T>): FieldKind<T> {
  return { type: () => choices, choices };
}

/** Values of an enum, each once, in its order. */
function someOf<T extends string>(choices: Record<string, T>): FieldKind<T[]> {
  const stored = (given: T[]) => Object.values(choices).filter((value) => given.includes(value));
  return { type: () => [choices], stored };
}

type Type<T> = new () => T;

/** An object that is stored as JSON, and its input. */
function object<V, G>(type: Type<V>, input: Type<G>, stored: (given: G) => V): FieldKind<V, G> {
  const given = { create: input, update: input };
  return { type: () => type, given, rules: [Nested()], stored, json: true };
}

/** A list of such objects. */
function objects<V, G>(
  type: Type<V>,
  input: Type<G>,
  stored: (given: G[]) => V[],
  rules: PropertyDecorator[] = [],
): FieldKind<V[], G[]> {
  const given = { create: [input], update: [input] };
  return { type: () => [type], given, rules: [...rules, Nested()], stored, json: true };
}

/** Inputs of what is stored elsewhere. */
function inputs<C, U>(create: Type<C>, update: Type<U>): FieldKind<never, C, U> {
  return { type: () => create, given: { create, update }, rules: [Nested()] };
}

function inputList<G>(input: Type<G>): FieldKind<never, G[]> {
  return { type: () => [input], rules: [Nested()] };
}

/** The address of an issuer, or of what belongs to one. */
const issuerUrl: FieldKind<string> = {
  ...text,
  rules: [
    Rule(
      'url',
      'must be an https URL of at most 500 characters, without user, query and fragment',
      (value) => {
        if (typeof value !== 'string' || value.length > 500 || !URL.canParse(value)) return false;
        const { protocol, username, password, search, hash } = new URL(value);
        return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
      },
      { format: 'uri', maxLength: 500 },
    ),
  ],
};

/** An id or a secret that another service has given. */
const clientText: FieldKind<string> = {
  ...text,
  rules: [Matches('text', /^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 printable characters')],
};

export const kind = {
  ...{ issuerUrl, clientText },
  ...{
    text,
    label,
    longText,
    slug,
    tags,
    flag,
    count,
    whole,
    decimal,
    above0,
    atLeast,
    moment,
    timeZone,
    jsonObject,
  },
  ...{ idOf, oneOf, someOf, object, objects, inputs, inputList, orNull },
};
