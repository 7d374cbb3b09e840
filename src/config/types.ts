import { z } from 'zod';

/** One setting as documented. Its value comes from the environment variable of that name. */
export interface Setting {
  readonly name: string;
  /** The default as it would be written; null: see `doc`. */
  readonly fallback: string | null;
  /** Unit of its number; null: none. */
  readonly unit: string | null;
  readonly doc: string;
  /** A secret: never shown, not even in an error. */
  readonly secret: boolean;
}

export interface Definition<T> extends Setting {
  readonly type: z.ZodType<T, string>;
}

// The messages of these types complete the sentence "It must be …".

export const whole = (min: number, max: number) => {
  const message = `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
};
export const matching = (form: RegExp, message: string) => z.string().regex(form, message);
export const that = (fits: (text: string) => boolean, message: string) => z.string().refine(fits, message);
export const list = (fits: (text: string) => boolean, message: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.string().refine(fits, message)));
export const flag = z.enum(['true', 'false'], 'true or false').transform((text) => text === 'true');
export const secret = matching(/^[\x20-\x7e]{32,}$/, 'at least 32 printable characters');

type Facts = Partial<Omit<Setting, 'name' | 'fallback'>> & Pick<Setting, 'doc'>;

export function withDefault<T>(
  name: string,
  fallback: string,
  type: z.ZodType<T, string>,
  facts: Facts,
): Definition<T> {
  return { name, fallback, type, unit: null, secret: false, ...facts };
}

export function optional<T>(
  name: string,
  type: z.ZodType<T, string>,
  facts: Facts,
): Definition<T | undefined> {
  return { name, fallback: null, type, unit: null, secret: false, ...facts };
}
