import { coerceInputValue, type GraphQLInputType } from 'graphql';

/** Most faults of a request's values that a refusal has: a body has room for thousands. */
export const MOST_FAULTS = 50;

type OnFault = NonNullable<Parameters<typeof coerceInputValue>[2]>;

interface FaultBounds {
  most: number;
  /** True if messages may suggest names for misspelt ones; the search costs most of the work. */
  suggestions: boolean;
}

const ENOUGH = Symbol('enough');

/** An input value without faults as resolvers get it, with its defaults. */
export function coercedValue(value: unknown, type: GraphQLInputType): unknown {
  return coerceInputValue(value, type);
}

/** Calls back for each fault of an input value, up to the bound. */
export function findFaults(
  value: unknown,
  type: GraphQLInputType,
  { most, suggestions }: FaultBounds,
  found: OnFault,
): void {
  let left = most;
  const onFault: OnFault = (...fault) => {
    if (left <= 0) throw ENOUGH;
    left -= 1;
    found(...fault);
  };
  try {
    coerceInputValue(value, type, onFault, !suggestions);
  } catch (error) {
    if (error !== ENOUGH) throw error;
  }
}
