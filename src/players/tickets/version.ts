import { hasControl } from '../../base/text.js';
import { Rule } from '../../graphql/rules.js';
import { LONGEST_VERSION_BYTES } from './ticket.js';

/** The version of a game, as its tickets name it. */
export function IsVersion(): PropertyDecorator {
  return Rule(
    'length',
    `must be 1 to ${LONGEST_VERSION_BYTES} bytes, without control characters`,
    (value) =>
      typeof value === 'string' &&
      value !== '' &&
      !hasControl(value) &&
      Buffer.byteLength(value) <= LONGEST_VERSION_BYTES,
    { minLength: 1, maxLength: LONGEST_VERSION_BYTES },
  );
}
