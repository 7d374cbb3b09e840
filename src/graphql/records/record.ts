import { type ClassType, InputType, Field as Member, ObjectType } from 'type-graphql';
import { type IdKind, prefixes } from '../../base/ids.js';
import { Row } from '../../db/row.js';
import { DELETION, Deletion } from '../changed-record.js';
import { faultsOfInput } from '../input-checks.js';
import { Node } from '../node.js';
import { NotNull } from '../rules.js';
import { type FieldKind, kind as kinds } from './kinds.js';

type Way = 'required' | 'optional' | 'made' | 'computed' | 'asked';

/** A field of a record. `V` is never if it is no column, `C` and `U` if callers do not give it when they create or change one. */
interface Field<W extends Way, V, C, U> extends More {
  way: W;
  kind: FieldKind<V, C, U>;
  /** The description in the record and in inputs. */
  about: string;
  /** The value of a new record without one. */
  initial?: V;
  isIn: { create: boolean; update: boolean };
}

interface More {
  /** What the inputs add to `about`. */
  whenNew?: string;
  whenChanged?: string;
  /** Null is no value for a new record in GraphQL, as it is in REST. */
  takesNull?: true;
}

function fieldOf<W extends Way>(way: W) {
  return <V, C, U>(kind: FieldKind<V, C, U>, about: string, more?: More & { initial?: unknown }) =>
    ({ way, kind, about, isIn: { create: true, update: true }, ...more }) as Field<W, V, C, U>;
}

/** A new record is given one. */
export const required = fieldOf('required');

/** The service makes one for a new record that is given none. */
export const derived = fieldOf('made');

/** Callers give it, but it is no column: the writer stores it elsewhere. A getter of its class shows it. */
export const asked = fieldOf('asked') as <V, C, U>(
  ...field: Parameters<typeof derived<V, C, U>>
) => Field<'asked', never, C, U>;

/** A new record that is given none has `initial`. */
export function preset<V, C, U>(kind: FieldKind<V, C, U>, initial: NoInfer<V>, about: string, more?: More) {
  return fieldOf('optional')(kind, about, { initial, ...more });
}

/** A new record that is given none has null. */
export function maybe<V, C, U>(kind: FieldKind<V, C, U>, about: string, more?: More) {
  return preset(kinds.orNull(kind), null, about, more);
}

/** It never changes. */
export function fixed<W extends Way, V, C, U>(field: Field<W, V, C, U>) {
  return { ...field, isIn: { ...field.isIn, update: false } } as Field<W, V, C, never>;
}

/** A new record is not given it. */
export function later<W extends Way, V, C, U>(field: Field<W, V, C, U>) {
  return { ...field, isIn: { ...field.isIn, create: false } } as Field<W, V, never, U>;
}

/** The service makes it. */
export function made<V, C, U>(kind: FieldKind<V, C, U>, about: string) {
  return fixed(later(derived(kind, about)));
}

/** A getter of its class. */
export function computed<V, C, U>(kind: FieldKind<V, C, U>, about: string) {
  return { ...made(kind, about), way: 'computed' } as Field<'computed', never, never, never>;
}

/** Copies a field for another record, in that record's words. */
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
  if (initial === undefined || initial === null || initial === '') return '';
  if (Array.isArray(initial)) return 'Default: none.';
  if (typeof initial === 'number') return `Default: ${initial.toLocaleString('en')}.`;
  if (typeof initial !== 'string') return `Default: ${initial}.`;
  return `Default: \`${choices ? initial.toUpperCase() : initial}\`.`;
}

/** Declares the fields of a record, or of a part of one, on its class. */
export function HasFields(fields: Fields): ClassDecorator {
  return ({ prototype }) => {
    for (const [name, { way, kind, about }] of Object.entries(fields)) {
      const getter = Object.getOwnPropertyDescriptor(prototype, name);
      if (way === 'asked' && !getter) continue;
      const declare = Member(kind.type as never, { description: about, nullable: !!kind.orNull });
      declare(prototype, name, getter as never);
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

/** A type of the API without an id: a part of a record, stored as JSON. */
export function PartType(fields: Fields, description: string): ClassDecorator {
  return (target) => {
    HasFields(fields)(target);
    ObjectType({ description, simpleResolvers: true })(target as never);
  };
}

/** The base of a record's class. @param more ids and columns of JSON that the API does not show */
export function rowOf<F extends Fields>(
  fields: F,
  more: { ids?: Record<string, IdKind>; json?: string[] } = {},
) {
  const all = Object.entries(fields).filter(([, { way }]) => way !== 'asked');
  abstract class FieldsRow extends Row {
    static override ids = {
      ...Object.fromEntries(all.flatMap(([name, { kind }]) => (kind.id ? [[name, kind.id]] : []))),
      ...more.ids,
    };
    static override jsonAttributes = [
      ...all.flatMap(([name, { kind }]) => (kind.json ? [name] : [])),
      ...(more.json ?? []),
    ];
  }
  return FieldsRow as unknown as Omit<typeof Row, 'prototype'> & (abstract new () => Row & ValuesOf<F>);
}

/** The base of a class that has some fields of a record. */
export function withFields<F extends Fields>(_fields: F) {
  return class {} as new () => ValuesOf<F>;
}

/** Makes the class of an input. @throws Error for a default that its own rule refuses */
function inputOf<T>(name: string, about: string, fields: Fields, side: 'create' | 'update') {
  const Input = { [name]: class {} }[name]!;
  const own = Object.entries(fields).filter(([, { isIn }]) => isIn[side]);
  for (const [key, field] of own) {
    const { kind } = field;
    const rules = [...(side === 'update' && !kind.orNull ? [NotNull()] : []), ...(kind.rules ?? [])];
    const type = () => (kind.given?.[side] ?? kind.type()) as never;
    Member(type, side === 'create' ? ofNew(field) : ofChange(field))(Input.prototype, key);
    for (const rule of rules.toReversed()) rule(Input.prototype, key);
  }
  const initial = Object.fromEntries(own.map(([key, field]) => [key, field.initial]));
  const [fault] = faultsOfInput(Object.assign(new Input(), initial));
  if (fault) throw new Error(`${name}: the default of ${fault.loc.join('.')} ${fault.msg}`);
  InputType(name, { description: about })(Input);
  return Input as ClassType<T & object>;
}

function ofNew(field: AnyField) {
  const { way, kind, whenNew, initial, takesNull } = field;
  return {
    description: textOf(field, whenNew, defaultText(field)),
    nullable: way !== 'required' && (initial === undefined || !!kind.orNull || !!takesNull),
    defaultValue: initial ?? undefined,
  };
}

const ofChange = (field: AnyField) => ({ description: textOf(field, field.whenChanged), nullable: true });

/** The input of a new record. */
export function newInput<F extends Fields>(name: string, about: string, fields: F) {
  return inputOf<Created<F>>(name, about, fields, 'create');
}

/** The input of changes to a record. @param deletion how REST deletes and restores by it; null: it does not */
export function changeInput<F extends Fields>(
  name: string,
  about: string,
  fields: F,
  { deletion = DELETION }: { deletion?: string | null } = {},
) {
  const Input = inputOf<Updated<F> & { deleted?: boolean }>(name, about, fields, 'update');
  if (deletion) Deletion(deletion)(Input.prototype as object, 'deleted');
  return Input;
}

/** The values of these fields alone. */
export function valuesIn<F extends Fields>(fields: F, record: ValuesOf<F>): ValuesOf<F> {
  const names = Object.keys(fields).filter((name) => fields[name]!.way !== 'asked');
  return Object.fromEntries(names.map((name) => [name, record[name as keyof ValuesOf<F>]])) as never;
}

type Given = Record<string, object | null | undefined>;
type Absent = (field: AnyField, given: null | undefined) => unknown;

function columns(fields: Fields, input: object, isOwn: (field: AnyField) => boolean, absent: Absent) {
  const own = Object.entries(fields).filter(([, field]) => isOwn(field));
  const stored = own.map(([name, field]) => {
    const given = (input as Given)[name];
    if (given == null) return [name, absent(field, given)];
    return [name, field.kind.stored ? field.kind.stored(given) : given];
  });
  return Object.fromEntries(stored) as never;
}

/** The columns of a new record; what the service makes is not among them. @throws DomainError VALIDATION_FAILED */
export function newColumns<F extends Fields>(fields: F, input: Created<F>): NewColumns<F> {
  const isOwn = ({ way }: AnyField) => way === 'required' || way === 'optional';
  // Null is a value where the column can be null, and otherwise no value.
  const absent: Absent = ({ kind, initial }, given) => (given === null && kind.orNull ? null : initial);
  return columns(fields, input, isOwn, absent);
}

/** The columns that an input changes; undefined: it does not. @throws DomainError VALIDATION_FAILED */
export function changedColumns<F extends Fields>(fields: F, input: Updated<F>): ChangedColumns<F> {
  const isOwn = ({ way, isIn }: AnyField) => isIn.update && way !== 'asked';
  return columns(fields, input, isOwn, (_, given) => given);
}

/**
 * What a field holds that is part of a record: an object of its own, which is stored as JSON.
 * @param checked refuses or completes what its fields allow one by one
 */
export function partKind<F extends Fields>(
  type: new () => ValuesOf<F>,
  [input, about]: [name: string, about: string],
  fields: F,
  checked = (value: ValuesOf<F>) => value,
) {
  const stored = (given: Created<F>) => checked(newColumns(fields, given) as ValuesOf<F>);
  return kinds.object<ValuesOf<F>, Created<F>>(type, newInput(input, about, fields), stored);
}
