import { isLabel, isVisible } from '../../base/text.js';

/** A value of a tag: 1 to 64 visible characters without `,` and `:`, which separate them in addresses. */
export function isTagValue(value: unknown): value is string {
  return isLabel(value, 1, 64) && value === value.trim() && !/[,:]/.test(value);
}

export const TAG_VALUE_SENTENCE = 'must be 1 to 64 characters without commas or colons';

/** Most tags of a submission, and of a request for those of a player. */
export const MOST_TAGS = 16;

/** True for tags by their names, each with a value. @param removable null is a value, too */
export function areTags(value: unknown, removable = false): value is Record<string, string | null> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length <= MOST_TAGS && values.every((one) => (removable && one === null) || isTagValue(one));
}

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
export function platformOf(platform: string | null | undefined): string {
  return platform && isVisible(platform.replace(/[,:]/g, '')) ? platform : '';
}
