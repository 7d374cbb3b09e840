import { isLabel, isVisible } from '../../base/text.js';

/** A value of a tag: 1 to 64 visible characters without `,` and `:`, which separate them in addresses. */
export function isTagValue(value: unknown): value is string {
  return isLabel(value, 1, 64) && value === value.trim() && !/[,:]/.test(value);
}

export const TAG_VALUE_SENTENCE = 'must be 1 to 64 characters without commas or colons';

const SEPARATORS = /[,:\p{Cc}\u2028\u2029]/u;

/**
 * The value by which a stored tag is ranked: a platform is free text of a device, and `PC: Steam` is ranked as `PC Steam`. Null:
 * the tag is missing. Valid values stay as they are. `tag_value` in SQL says the same.
 */
export function tagValueOf(stored: string | null | undefined): string | null {
  if (!stored) return null;
  const parts = stored.split(SEPARATORS).map((part) => part.trim());
  return parts.filter((part) => part !== '').join(' ') || null;
}

/** A platform as stored for devices: empty if nothing visible is left of it, since such a group could not be requested. */
export function platformOf(given: string | null | undefined): string {
  return given && isVisible(given.replace(/[,:]/g, '')) ? given : '';
}
