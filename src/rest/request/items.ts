import { getNullableType, isListType } from 'graphql';
import {
  DomainError,
  type ErrorCode,
  type ErrorDetail,
  invalid,
  type Loc,
  withDetails,
} from '../../base/errors.js';
import { isObject } from '../spelling.js';
import { bodyFields, type Input } from './inputs.js';
import { type BodyRules, RequestReader } from './request.js';

/** A result of one item as its operation returns it, in REST's spelling. */
interface RestItemResult extends Record<string, unknown> {
  error: { error: string; code: ErrorCode; details: ErrorDetail[] | null } | null;
}

/** Checks each item of a batch's body by itself. */
export class ItemsReader {
  readonly #reader: RequestReader;
  /** Items beyond it are not read: the operation refuses the list. */
  readonly most: number;

  /** @param refused see {@link BodyRules} */
  constructor(
    readonly input: Input,
    refused: BodyRules['refused'],
  ) {
    const list = getNullableType(input.type);
    if (!isListType(list)) throw new Error(`${input.name} must be a list of input objects`);
    const inputs = { inputs: bodyFields(list.ofType), paged: false, spoken: new Map() };
    this.#reader = new RequestReader(inputs, { refused });
    this.most = Number(input.hints?.maxItems);
  }

  /** Returns the faults of one item, with the probably intended names; `loc` begins with `body`. */
  faultsOf(item: unknown): ErrorDetail[] {
    const { variables, faults } = this.#reader.read({ path: {}, query: {}, body: item ?? null });
    return this.#reader.named(this.#reader.faultsOf(variables, faults), item);
  }
}

/** The items of one request. A malformed one is null for the operation, and gets its faults in place of the result. */
export class CheckedItems {
  readonly #faults = new Map<number, ErrorDetail[]>();

  constructor(private readonly reader: ItemsReader) {}

  /** Returns the body for the operation. */
  sound(body: unknown): unknown {
    const { name } = this.reader.input;
    if (!isObject(body) || !Array.isArray(body[name])) return body;
    const items: unknown[] = body[name];
    return { ...body, [name]: items.map((item, index) => (this.#isSound(item, index) ? item : null)) };
  }

  #isSound(item: unknown, index: number): boolean {
    if (index >= this.reader.most) return false;
    const faults = this.#faultsOf(item);
    if (faults.length === 0) return true;
    const { name } = this.reader.input;
    const placed = faults.map(({ loc, ...fault }) => ({
      loc: ['body', name, index, ...loc.slice(1)],
      ...fault,
    }));
    this.#faults.set(index, placed);
    return false;
  }

  #faultsOf(item: unknown): ErrorDetail[] {
    try {
      return this.reader.faultsOf(item);
    } catch (error) {
      if (error instanceof DomainError && error.details) return error.details;
      throw error;
    }
  }

  /**
   * Returns the response body: the results without null members.
   * @param locOf converts the `loc` of a resolver's fault to the caller's names
   */
  answer(body: unknown, requestId: string, locOf: (loc: Loc) => Loc): unknown {
    const { results } = body as { results: RestItemResult[] };
    return {
      results: results.map((result, index) => {
        const faults = this.#faults.get(index);
        // An item beyond a rate limit keeps that refusal, which comes first.
        if (faults && result.status === UNPROCESSABLE) return refusedItem(faults, requestId);
        const { error } = result;
        if (!error) return withoutNulls(result);
        if (!error.details) return withoutNulls({ ...result, error: withoutNulls(error) });
        const details = error.details.map((detail) => ({ ...detail, loc: locOf(detail.loc) }));
        const { message } = withDetails(new DomainError(error.code, error.error, error.details), details);
        return withoutNulls({ ...result, error: withoutNulls({ ...error, error: message, details }) });
      }),
    };
  }
}

const UNPROCESSABLE = 422;

function refusedItem(details: ErrorDetail[], request_id: string): object {
  const { message: error, code, status } = invalid(details);
  return { status, replayed: false, error: { error, code, request_id, details } };
}

function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
