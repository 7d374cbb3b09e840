import { Rule } from '../graphql/rules.js';

/** A blank key would be the same for all submissions. */
export const IDEMPOTENCY_KEY = /^(?=.{1,128}$) *[\x21-\x7e][\x20-\x7e]*$/;
export const IDEMPOTENCY_SENTENCE = 'must be 1 to 128 printable ASCII characters, not only blanks';

export function IsIdempotencyKey(): PropertyDecorator {
  return Rule(
    'idempotency_key',
    IDEMPOTENCY_SENTENCE,
    (value) => typeof value === 'string' && IDEMPOTENCY_KEY.test(value),
    { maxLength: 128, pattern: '^ *[!-~][ -~]*$' },
  );
}
