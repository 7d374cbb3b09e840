import type { ErrorDetail } from '../base/errors.js';

/** A rule of one field of an input class. */
interface Check {
  property: string;
  /** `type` of the error's detail. */
  type: string;
  /** Follows the field's name. */
  message: string | ((value: unknown) => string);
  holds(value: unknown): boolean;
}

/** Checks by class prototype, in the order of declaration. */
const checks = new Map<object, Check[]>();
/** Fields whose values have rules of their own, by class prototype. */
const nested = new Map<object, string[]>();

function append<T>(map: Map<object, T[]>, key: object, item: T): void {
  map.set(key, [...(map.get(key) ?? []), item]);
}

/** Declares a rule. `holds` gets the field's value, which may be undefined or null. */
export function Checked(type: string, message: Check['message'], holds: Check['holds']): PropertyDecorator {
  return (target, name) => append(checks, target, { property: String(name), type, message, holds });
}

/** Marks a field that is an input itself, or a list of inputs: their rules hold, too. */
export function Nested(): PropertyDecorator {
  return (target, name) => append(nested, target, String(name));
}

/**
 * Returns the faults of an input by the rules of its class, those of a field together.
 * @param path of the input; by default `loc` begins with the field's name (camelCase)
 */
export function faultsOfInput(input: object, path: (string | number)[] = []): ErrorDetail[] {
  const values = input as Record<string, unknown>;
  const faults: ErrorDetail[] = [];
  for (let type: object = Object.getPrototypeOf(input); type; type = Object.getPrototypeOf(type)) {
    for (const { property, type: kind, message, holds } of checks.get(type) ?? []) {
      const value = values[property];
      if (holds(value)) continue;
      const msg = typeof message === 'string' ? message : message(value);
      faults.push({ loc: [...path, property], msg, type: kind });
    }
    for (const property of nested.get(type) ?? []) {
      faults.push(...faultsOfNested(values[property], [...path, property]));
    }
  }
  return faults.length > 1 ? byField(faults, path.length) : faults;
}

function faultsOfNested(value: unknown, path: (string | number)[]): ErrorDetail[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => faultsOfNested(item, [...path, i]));
  return typeof value === 'object' && value !== null ? faultsOfInput(value, path) : [];
}

/** In the order of each field's first fault. @param at place of the field's name in `loc` */
function byField(faults: ErrorDetail[], at: number): ErrorDetail[] {
  const fields = new Map<unknown, ErrorDetail[]>();
  for (const fault of faults) {
    const field = fault.loc[at];
    fields.set(field, [...(fields.get(field) ?? []), fault]);
  }
  return [...fields.values()].flat();
}
