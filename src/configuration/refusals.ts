import { DomainError, type ErrorCode, type Loc, present } from '../base/errors.js';

/** Why a record of a file cannot become what the file says. */
export interface Refusal {
  /** Place of the value in the file, or of its record. */
  path: Loc;
  code: ErrorCode;
  /** The service's sentence; of one field, it follows the field's name. */
  message: string;
}

/** More refusals of one file are not shown. */
const MOST_REFUSALS = 50;

/** The refusals of one file. */
export class Refusals {
  readonly all: Refusal[] = [];

  note(path: Loc, message: string, code: ErrorCode = 'VALIDATION_FAILED'): void {
    if (this.all.length < MOST_REFUSALS) this.all.push({ path, code, message });
  }

  /**
   * Runs a check, and notes what it refuses.
   * @param path of the record
   * @param placed places of the faults of fields, below the record
   * @returns undefined: it was refused
   */
  of<T>(path: Loc, check: () => T, placed: (error: DomainError) => Loc[] = () => []): T | undefined {
    try {
      return check();
    } catch (error) {
      const refused = present(error);
      if (refused.code === 'INTERNAL') throw error;
      const { code, details } = refused;
      if (!details) this.note(path, refused.message, code);
      const places = placed(refused);
      for (const [n, { msg }] of (details ?? []).entries())
        this.note([...path, ...(places[n] ?? [])], msg, code);
      return undefined;
    }
  }
}
