/** The value that the service has written into the page's head. */
function headValue(name: string): string {
  const value = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
  return value.startsWith('%') ? '' : value;
}

// Files of the build are in <service>/console/assets/, below any prefix of a proxy.
const here = import.meta.url;

/** Path of the service below a proxy, without a slash at its end; '' at the root. */
export const SERVICE_PATH = import.meta.env.PROD ? new URL('../..', here).pathname.replace(/\/$/, '') : '';

export const GRAPHQL_URL = `${SERVICE_PATH}/graphql`;

/** The setting HEADER_PREFIX. */
export const HEADER_PREFIX = headValue('header-prefix') || 'service';

/** Version of the service; '' where the page was not served by it. */
export const VERSION = headValue('service-version');

/** The setting REGISTRATION. */
export const REGISTRATION = headValue('registration') || 'open';

/** True where passkeys and single sign-on are on. */
export const HAS_PASSKEYS = headValue('passkeys') === 'on';

/** Name of the installation's single sign-on; '' where it has none. */
export const PROVIDER_NAME = headValue('provider-name');

/** True where a studio has single sign-on of its own. */
export const HAS_STUDIO_PROVIDERS = headValue('studio-providers') === 'on';

export const CONSOLE_PATH = `${SERVICE_PATH}/console`;
