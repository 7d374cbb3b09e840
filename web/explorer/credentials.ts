/**
 * The credentials that the page sends. Stored in this browser tab's sessionStorage and nowhere else: the explorer is
 * used on shared computers, and a key in localStorage would outlive the person who pasted it.
 */
export interface Credentials {
  /** Which of the two texts is sent; `none` sends neither. */
  sendAs: 'apiKey' | 'deviceToken' | 'none';
  /** An administrator's API key. */
  apiKey: string;
  /** A device's access token, without the word Bearer. */
  deviceToken: string;
}

/** Header names in lower case → values; the same object is the payload of a WebSocket's connection_init. */
export type Headers = Record<string, string>;

export const noCredentials: Credentials = { sendAs: 'apiKey', apiKey: '', deviceToken: '' };

const STORED_AS = 'explorer:credentials';

/** This tab's credentials; none when nothing readable is stored. */
export function loadCredentials(): Credentials {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED_AS) ?? '{}');
    return { ...noCredentials, ...stored };
  } catch {
    return noCredentials;
  }
}

export function saveCredentials(credentials: Credentials): void {
  sessionStorage.setItem(STORED_AS, JSON.stringify(credentials));
}

export function forgetCredentials(): void {
  sessionStorage.removeItem(STORED_AS);
}

/** Removes what copying tends to bring along: blanks, line ends, the scheme word. */
export function tidyCredential(pasted: string): string {
  return pasted.trim().replace(/^bearer\s+/i, '');
}

/**
 * The headers of one operation: the credential of the bar, then those of the header editor, which win.
 * A blank value in the editor takes the header away, so that one tab can be tried without a credential.
 */
export function headersFor(
  credentials: Credentials,
  prefix: string,
  editor: Record<string, unknown> = {},
): Headers {
  const headers = new Map<string, string>();
  const { sendAs, apiKey, deviceToken } = credentials;
  if (sendAs === 'apiKey') headers.set(`${prefix}-api-key`, apiKey);
  if (sendAs === 'deviceToken') headers.set('authorization', deviceToken && `Bearer ${deviceToken}`);
  for (const [name, value] of Object.entries(editor))
    headers.set(name.toLowerCase(), String(value ?? '').trim());
  return Object.fromEntries([...headers].filter(([, value]) => value !== ''));
}
