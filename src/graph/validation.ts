import { type ValidationError, validateSync } from 'class-validator';
import { type ErrorDetail, invalid } from '../errors.js';

function detailsOf(errors: ValidationError[], path: (string | number)[]): ErrorDetail[] {
  return errors.flatMap((error) => {
    const name = /^\d+$/.test(error.property) ? Number(error.property) : error.property;
    const loc = [...path, name];
    const broken = Object.entries(error.constraints ?? {}).map(([type, msg]) => ({ loc, msg, type }));
    return [...broken, ...detailsOf(error.children ?? [], loc)];
  });
}

/**
 * Holds an argument against the rules of its class. The schema calls it for every argument of every resolver.
 * @throws DomainError VALIDATION_FAILED; `loc` begins with the field's own name (camelCase), not with "input"
 */
export function validateArgument(value: unknown): void {
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item !== 'object' || item === null || item instanceof Date) continue;
    if (Object.getPrototypeOf(item) === Object.prototype) continue;
    const errors = validateSync(item, { forbidUnknownValues: false });
    if (errors.length > 0) throw invalid(detailsOf(errors, []));
  }
}
