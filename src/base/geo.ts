/** The known location of an address. */
export interface Place {
  city: string | null;
  /** Two-letter ISO code, upper case. */
  country: string | null;
  /** IANA name. */
  timezone: string | null;
}

export const NOWHERE: Place = { city: null, country: null, timezone: null };
