import { isLabel, isWellFormed } from '../../../base/text.js';

/** Claims of an ID token or of the userinfo endpoint. */
export type Claims = Record<string, unknown>;

/** What an issuer says about a person's groups. */
export interface SaidGroups {
  groups: string[];
  /** True: the person has groups that the issuer did not list, so that absence from a group means nothing. */
  groupsUnknown: boolean;
  /** A sentence about the claim for the log and the audit trail. */
  groupsNote: string;
}

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The claim of a name. Dots lead into objects, as in `realm_access.roles`, unless the whole name is a claim, as
 * `https://example.com/roles` is.
 */
function claimAt(claims: unknown, name: string): unknown {
  if (!isObject(claims)) return undefined;
  if (Object.hasOwn(claims, name)) return claims[name];
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const outer = name.slice(0, dot);
    const found = Object.hasOwn(claims, outer) ? claimAt(claims[outer], name.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True if the claim is somewhere else: Entra ID lists none of the groups of who has more than 200. */
const isElsewhere = (claims: Claims, name: string) =>
  claimAt(claims._claim_names, name) !== undefined || (name === 'groups' && claims.hasgroups === true);

/** True if the userinfo endpoint may say more about groups than the ID token does. */
export function lacksGroups(token: Claims, name: string): boolean {
  return claimAt(token, name) === undefined && !isElsewhere(token, name);
}

/** Bytes of a list of groups, which has to fit into a ticket. */
const MOST_BYTES = 30_000;

/** @param info of the userinfo endpoint, which counts where the ID token has no such claim */
export function groupsIn(token: Claims, info: Claims, name: string): SaidGroups {
  const value = claimAt(token, name) ?? claimAt(info, name);
  const unknown = (groupsNote: string) => ({ groups: [], groupsUnknown: true, groupsNote });
  if (value === undefined) {
    if (isElsewhere(token, name) || isElsewhere(info, name)) {
      return unknown(
        `The identity provider did not list the claim "${name}", because it has too many groups.`,
      );
    }
    const groupsNote = `The identity provider sent no claim "${name}".`;
    return { groups: [], groupsUnknown: false, groupsNote };
  }
  const groups = [value].flat().filter((one): one is string => typeof one === 'string');
  if (Buffer.byteLength(JSON.stringify(groups)) > MOST_BYTES) {
    return unknown(`The claim "${name}" has ${groups.length} groups, more than ${MOST_BYTES} bytes.`);
  }
  const groupsNote = isObject(value)
    ? `The claim "${name}" is an object, not a list of groups.`
    : `The claim "${name}" lists ${groups.length} groups.`;
  return { groups, groupsUnknown: false, groupsNote };
}

/** Keycloak writes groups as paths: `/mods` and `mods` are one. */
export const bareGroup = (group: string) => group.replace(/^\//, '');

const LONGEST = 255;

/** A claim that can be stored and shown; null: none, or not such a text. */
export const storableText = (value: unknown): string | null =>
  isLabel(value, 1, LONGEST) && isWellFormed(value) ? value : null;

/** Undefined: nothing is said. Some issuers send texts or numbers. */
function isVerified({ email_verified, xms_edov }: Claims): boolean | undefined {
  const said = email_verified ?? xms_edov;
  return said == null ? undefined : [true, 'true', 1, '1'].includes(said as string);
}

/** True if the userinfo endpoint may say more about the address than the ID token does. */
export function lacksAddress(token: Claims): boolean {
  return storableText(token.email) === null || isVerified(token) === undefined;
}

/** The address, with what the same source says about it: one that the other has verified may be another address. */
export function addressIn(token: Claims, info: Claims): { email: string | null; emailVerified: boolean } {
  const source = lacksAddress(token) && storableText(info.email) !== null ? info : token;
  return { email: storableText(source.email), emailVerified: isVerified(source) ?? false };
}

/** What both say that is only shown or kept. */
export function restIn(token: Claims, info: Claims): { name: string | null; sid: string | null } {
  return { name: storableText(token.name) ?? storableText(info.name), sid: storableText(token.sid) };
}
