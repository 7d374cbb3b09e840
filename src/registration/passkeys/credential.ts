import { invalidField } from '../../base/errors.js';

/** What browsers return is a few hundred bytes; keys and certificates of authenticators are a few thousand. */
const LONGEST = 32_768;

/** Longest list of transports, and of one of them: USB, NFC, internal, … */
const MOST_TRANSPORTS = 8;
const TRANSPORT = /^[a-z-]{1,20}$/;

interface ParsedCredential {
  /** As the library takes it. */
  json: object;
  id: Buffer;
  /** Base64url, as the browser says that it was asked. */
  challenge: string;
  /** Empty where there is none. */
  userHandle: Buffer;
  transports: string[];
}

/**
 * Reads a credential of a browser, as far as it must be known before it is verified.
 * @param members of its response that must be texts
 * @throws DomainError VALIDATION_FAILED
 */
export function parsedCredential(text: string, members: string[]): ParsedCredential {
  const wrong = () => invalidField(['response'], "must be a browser's response as JSON");
  if (text.length > LONGEST) throw wrong();
  const json = objectOf(text);
  const response = objectOf(json?.response);
  if (!json || !response || !isBytes(json.id) || !members.every((name) => isBytes(response[name])))
    throw wrong();
  const client = objectOf(Buffer.from(response.clientDataJSON as string, 'base64url').toString());
  if (typeof client?.challenge !== 'string') throw wrong();
  const { userHandle, transports } = response;
  return {
    json,
    id: Buffer.from(json.id, 'base64url'),
    challenge: client.challenge,
    userHandle: Buffer.from(isBytes(userHandle) ? userHandle : '', 'base64url'),
    transports: Array.isArray(transports)
      ? transports.filter((one) => TRANSPORT.test(String(one))).slice(0, MOST_TRANSPORTS)
      : [],
  };
}

function isBytes(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]+$/.test(value);
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  let parsed = value;
  if (typeof value === 'string') {
    try {
      parsed = JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : undefined;
}
