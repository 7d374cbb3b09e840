import type { ValidationError } from 'class-validator';
import { Validator } from 'class-validator/cjs/validation/Validator.js';
import { type ErrorDetail, invalid } from '../base/errors.js';
import { rulesHold } from './rules.js';

/** class-validator's error for a nested value that is no object. Only null gets this far, and `NotNull` checks null. */
const OF_NESTED = 'nestedValidation';

const validator = new Validator();

function detailsOf(errors: ValidationError[], path: (string | number)[]): ErrorDetail[] {
  return errors.flatMap((error) => {
    const name = /^\d+$/.test(error.property) ? Number(error.property) : error.property;
    const loc = [...path, name];
    const broken = Object.entries(error.constraints ?? {})
      .filter(([type]) => type !== OF_NESTED)
      .map(([type, msg]) => ({ loc, msg, type }));
    return [...broken, ...detailsOf(error.children ?? [], loc)];
  });
}

/** True if a field's value may have rules of its own. */
function isNested(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isNested);
  return typeof value === 'object' && value !== null && !isPlain(value);
}

function isPlain(value: object): boolean {
  return value instanceof Date || Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * Validates an argument against the rules of its class. The schema calls it for every argument of every resolver.
 * @throws DomainError VALIDATION_FAILED; `loc` begins with the field's own name (camelCase), not with "input"
 */
export function validateArgument(value: unknown): void {
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item !== 'object' || item === null || isPlain(item)) continue;
    // Only class-validator words the errors; it would take a tenth of the time of a valid request.
    if (rulesHold(item) && !Object.values(item).some(isNested)) continue;
    const details = detailsOf(validator.validateSync(item, { forbidUnknownValues: false }), []);
    if (details.length > 0) throw invalid(details);
  }
}
