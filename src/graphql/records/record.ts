import { type ClassType, InputType, Field as Member, ObjectType } from 'type-graphql';
import { type IdKind, prefixes } from '../../base/ids.js';
import { Row } from '../../db/row.js';
import { Deletion } from '../changed-record.js';
import { Node } from '../node.js';
import { NotNull } from '../rules.js';
import { type FieldKind, kind as kinds } from './kinds.js';

type Way = 'required' | 'optional' | 'made' | 'computed' | 'asked';

/** A field of a record. `V` is never if it is no column, `C` and `U` if callers do not give it when they create or change one. */
interface Field<W extends Way, V, C, U> extends More {
  way: W;
  kind: FieldKind<V, C, U>;
  /** Of the record, and of inputs. */
  about: string;
  /** Of a new record that is given none. */
  initial?: V;
  isInNew: boolean;
  isInChange: boolean;
}

interface More {
  /** What the inputs add to `about`. */
  whenNew?: string;
  whenChanged?: string;
}

const GIVEN = { isInNew: true, isInChange: true };
const NOT_GIVEN = { isInNew: false, isInChange: false };

/** A new record is given one. */
export function required<V, C, U>(kind: FieldKind<V, C, U>, about: string, more?: More) {
  return { way: 'required', kind, about, ...GIVEN, ...more } as Field<'required', V, C, U>;
}

/** A new record that is given none has `initial`. */
export function preset<V, C, U>(kind: FieldKind<V, C, U>, initial: NoInfer<V>, about: string, more?: More) {
  return { way: 'optional', kind, initial, about, ...GIVEN, ...more } as Field<'optional', V, C, U>;
}

/** A new record that is given none has null. */
export function maybe<V, C, U>(kind: FieldKind<V, C, U>, about: string, more?: More) {
  return preset(kinds.orNull(kind), null, about, more);
}

/** The service makes one for a new record that is given none. */
export function derived<V, C, U>(kind: FieldKind<V, C, U>, about: string, more?: More) {
  return { way: 'made', kind, about, ...GIVEN, ...more } as Field<'made', V, C, U>;
}

/** The service makes it. */
export function made<V, C, U>(kind: FieldKind<V, C, U>, about: string) {
  return { way: 'made', kind, about, ...NOT_GIVEN } as Field<'made', V, never, never>;
}

/** A getter of its class. */
export function computed<V, C, U>(kind: FieldKind<V, C, U>, about: string) {
  return { way: 'computed', kind, about, ...NOT_GIVEN } as Field<'computed', never, never, never>;
}

/** Callers give it, but it is no column: the writer stores it elsewhere. */
export function asked<V, C, U>(kind: FieldKind<V, C, U>, about: string, more?: More & { initial?: unknown }) {
  return { way: 'asked', kind, about, ...GIVEN, ...more } as Field<'asked', never, C, U>;
}

/** It never changes. */
export function fixed<W extends Way, V, C, U>(field: Field<W, V, C, U>) {
  return { ...field, isInChange: false } as Field<W, V, C, never>;
}

/** A new record is not given it. */
export function later<W extends Way, V, C, U>(field: Field<W, V, C, U>) {
  return { ...field, isInNew: false } as Field<W, V, never, U>;
}

/** The same field of another record, in its words. */
export function reworded<W extends Way, V, C, U>(field: Field<W, V, C, U>, about = field.about, more?: More) {
  return { ...field, about, whenNew: undefined, whenChanged: undefined, ...more } as Field<W, V, C, U>;
}

export const idField = (kind: IdKind) => made(kinds.idOf(kind), `The id, \`${prefixes[kind]}_<uuid>\`.`);
export const createdAt = made(kinds.moment, 'When it was created.');
export const updatedAt = made(kinds.moment, 'When it was last changed.');

type Fields = Record<string, Field<Way, unknown, unknown, unknown>>;
type Value<F> = F extends Field<Way, infer V, infer _C, infer _U> ? V : never;
type New<F> = F extends Field<Way, infer _V, infer C, infer _U> ? C : never;
type Change<F> = F extends Field<Way, infer _V, infer _C, infer U> ? U : never;
/** `K`, unless there is no such value. */
type If<T, K> = [T] extends [never] ? never : K;
type KeysOf<F, W> = { [K in keyof F]: F[K] extends { way: W } ? K : never }[keyof F];

/** The members of a record. */
export type ValuesOf<F> = { [K in keyof F as If<Value<F[K]>, K>]: Value<F[K]> };
export type Created<F> = { [K in KeysOf<F, 'required'> as If<New<F[K]>, K>]: New<F[K]> } & {
  [K in Exclude<keyof F, KeysOf<F, 'required'>> as If<New<F[K]>, K>]?: New<F[K]> | null;
};
export type Updated<F> = { [K in keyof F as If<Change<F[K]>, K>]?: Change<F[K]> };
export type NewColumns<F> = Pick<ValuesOf<F>, KeysOf<F, 'required' | 'optional'> & keyof ValuesOf<F>>;
type ChangedColumns<F> = {
  [K in keyof ValuesOf<F> & keyof Updated<F>]: ValuesOf<F>[K] | undefined;
};

type AnyField = Fields[string];

function textOf({ about, kind: { limits } }: AnyField, ...more: (string | undefined)[]): string {
  return [about, limits, ...more].filter((part) => part).join(' ');
}

function defaultText({ initial, kind: { choices } }: AnyField): string {
  if (initial === undefined || initial === null) return '';
  if (Array.isArray(initial)) return 'Default: none.';
  if (typeof initial !== 'string') return `Default: ${initial}.`;
  return `Default: \`${choices ? initial.toUpperCase() : initial}\`.`;
}

/** Declares the fields of a record, or of a part of one, on its class. */
export function HasFields(fields: Fields): ClassDecorator {
  return ({ prototype }) => {
    for (const [name, { way, kind, about }] of Object.entries(fields)) {
      if (way === 'asked') continue;
      const declare = Member(kind.type as never, {
        description: about,
        ...(kind.orNull && { nullable: true }),
      });
      declare(prototype, name, Object.getOwnPropertyDescriptor(prototype, name) as never);
    }
  };
}

/** The type of the API whose members are a record's fields. */
export function RecordType(fields: Fields, description: string): ClassDecorator {
  return (target) => {
    HasFields(fields)(target);
    ObjectType({ implements: Node, description, simpleResolvers: true })(target as never);
  };
}

/** The base of a record's class. @param json further columns of JSON */
export function rowOf<F extends Fields>(fields: F, json: string[] = []) {
  const all = Object.entries(fields);
  abstract class FieldsRow extends Row {
    static override ids = Object.fromEntries(
      all.flatMap(([name, { kind }]) => (kind.id ? [[name, kind.id]] : [])),
    );
    static override jsonAttributes = [
      ...json,
      ...all.flatMap(([name, { kind }]) => (kind.json ? [name] : [])),
    ];
  }
  return FieldsRow as unknown as Omit<typeof Row, 'prototype'> & (abstract new () => Row & ValuesOf<F>);
}

/** The base of a class that has some fields of a record. */
export function withFields<F extends Fields>(_fields: F) {
  return class {} as new () => ValuesOf<F>;
}

type Give = (name: string, type: unknown, options: object, rules: PropertyDecorator[]) => void;

function inputType<T>(name: string, description: string, declare: (give: Give, target: object) => void) {
  const made = { [name]: class {} }[name]!;
  const give: Give = (key, type, options, rules) => {
    Member(() => type as never, options)(made.prototype, key);
    for (const rule of rules.toReversed()) rule(made.prototype, key);
  };
  declare(give, made.prototype);
  InputType(name, { description })(made);
  return made as ClassType<T & object>;
}

/** The input of a new record. */
export function newInput<F extends Fields>(name: string, description: string, fields: F) {
  return inputType<Created<F>>(name, description, (give) => {
    for (const [key, field] of Object.entries(fields).filter(([, { isInNew }]) => isInNew)) {
      const { way, kind, whenNew, initial } = field;
      const options = {
        description: textOf(field, whenNew, defaultText(field)),
        ...(way !== 'required' && (initial === undefined || kind.orNull) && { nullable: true }),
        ...(initial !== undefined && initial !== null && { defaultValue: initial }),
      };
      give(key, kind.given?.create ?? kind.type(), options, kind.rules ?? []);
    }
  });
}

/** The input of changes to a record. With `isDeleted`, REST deletes and restores by it. */
export function changeInput<F extends Fields>(
  name: string,
  description: string,
  fields: F,
  { isDeleted = true } = {},
) {
  return inputType<Updated<F> & { deleted?: boolean }>(name, description, (give, target) => {
    for (const [key, field] of Object.entries(fields).filter(([, { isInChange }]) => isInChange)) {
      const { kind, whenChanged } = field;
      const options = { nullable: true, description: textOf(field, whenChanged) };
      const rules = [...(kind.orNull ? [] : [NotNull()]), ...(kind.rules ?? [])];
      give(key, kind.given?.update ?? kind.type(), options, rules);
    }
    if (isDeleted) Deletion()(target, 'deleted');
  });
}

/** The values of these fields alone. */
export function valuesIn<F extends Fields>(fields: F, record: ValuesOf<F>): ValuesOf<F> {
  const names = Object.keys(fields).filter((name) => fields[name]!.way !== 'asked');
  return Object.fromEntries(names.map((name) => [name, record[name as keyof ValuesOf<F>]])) as never;
}

type Given = Record<string, object | null | undefined>;

function storedOf({ kind }: AnyField, given: object | null | undefined, absent: unknown): unknown {
  if (given == null) return absent;
  return kind.stored ? kind.stored(given) : given;
}

/** The columns of a new record; what the service makes is not among them. @throws DomainError VALIDATION_FAILED */
export function newColumns<F extends Fields>(fields: F, input: Created<F>): NewColumns<F> {
  const own = Object.entries(fields).filter(([, { way }]) => way === 'required' || way === 'optional');
  const of = (name: string, field: AnyField) => {
    const given = (input as Given)[name];
    // Null is a value where the column can be null, and otherwise no value.
    return storedOf(field, given, given === null && field.kind.orNull ? null : field.initial);
  };
  return Object.fromEntries(own.map(([name, field]) => [name, of(name, field)])) as never;
}

/** The columns that an input changes; undefined: it does not. @throws DomainError VALIDATION_FAILED */
export function changedColumns<F extends Fields>(fields: F, input: Updated<F>): ChangedColumns<F> {
  const own = Object.entries(fields).filter(([, { way, isInChange }]) => isInChange && way !== 'asked');
  const of = (name: string, field: AnyField) =>
    storedOf(field, (input as Given)[name], (input as Given)[name]);
  return Object.fromEntries(own.map(([name, field]) => [name, of(name, field)])) as never;
}
