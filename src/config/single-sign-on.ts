import { flag, isNetwork, list, matching, optional, that, withDefault } from './types.js';

function isIssuerUrl(text: string): boolean {
  if (text.length > 500 || !URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
}

const printable = matching(/^[\x21-\x7e]{1,500}$/, '1 to 500 printable characters without spaces');

/** Settings of single sign-on. */
export const oidcSettings = {
  oidcIssuer: optional('OIDC_ISSUER', that(isIssuerUrl, 'an https URL without a query string'), {
    doc:
      'Issuer of OpenID Connect for single sign-on to the console; its metadata is at ' +
      '<issuer>/.well-known/openid-configuration. Needs CONSOLE_URL or PUBLIC_UI_URL. See ' +
      'docs/guides/single-sign-on.md. Unset: only accounts to which a superadmin allowed it have their own.',
  }),
  oidcClientId: optional('OIDC_CLIENT_ID', printable, {
    doc: 'Client id at OIDC_ISSUER, of a confidential client with the redirect address <CONSOLE_URL>/console/signed-in.',
  }),
  oidcClientSecret: optional('OIDC_CLIENT_SECRET', printable, {
    doc: 'Client secret at OIDC_ISSUER.',
    secret: true,
  }),
  oidcName: withDefault(
    'OIDC_NAME',
    'single sign-on',
    that((text) => text.trim() === text && text.length <= 50, '1 to 50 characters'),
    { doc: 'Name of the issuer on the sign-in page, after “Sign in with”.' },
  ),
  oidcScopes: withDefault(
    'OIDC_SCOPES',
    'openid email profile',
    matching(/^(?=.{1,500}$)openid( [\x21-\x7e]+)*$/, 'a list that begins with openid, separated by spaces'),
    {
      doc:
        'Scopes that OIDC_ISSUER is asked for. With offline_access, most issuers give refresh tokens; without ' +
        'one, a session lasts one hour.',
    },
  ),
  oidcGroupsClaim: withDefault('OIDC_GROUPS_CLAIM', 'groups', printable, {
    doc: 'Claim of OIDC_ISSUER with a user’s groups; dots lead into objects, like realm_access.roles.',
  }),
  oidcAllowHttp: withDefault('OIDC_ALLOW_HTTP', 'false', flag, {
    doc: 'Accepts issuers with http:// addresses, too; for development.',
  }),
  oidcAllowNetworks: withDefault(
    'OIDC_ALLOW_NETWORKS',
    '',
    list(isNetwork, 'addresses or networks like 10.0.0.0/8, separated by commas'),
    {
      doc:
        'Private networks that issuers may be in, also those of accounts and games, separated by commas. Link-local, ' +
        'metadata and translated addresses (such as 64:ff9b::/96) stay refused. Unset: public addresses only.',
    },
  ),
};

interface OidcConfig {
  oidcIssuer: string | undefined;
  oidcClientId: string | undefined;
  oidcClientSecret: string | undefined;
  oidcAllowHttp: boolean;
}

/** Returns what contradicts itself. */
export function oidcFaults({
  oidcIssuer,
  oidcClientId,
  oidcClientSecret,
  oidcAllowHttp,
}: OidcConfig): string[] {
  const given = [oidcIssuer, oidcClientId, oidcClientSecret].filter((value) => value !== undefined).length;
  if (given % 3 !== 0) return ['Set all of OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none.'];
  if (oidcIssuer?.startsWith('http:') && !oidcAllowHttp) {
    return ['OIDC_ISSUER must begin with https://. For development, set OIDC_ALLOW_HTTP=true.'];
  }
  return [];
}
