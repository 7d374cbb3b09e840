import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestApp } from './app.js';
import type { Data } from './http.js';

/** A mail in the folder of .eml files. */
export interface MailFile {
  name: string;
  headers: Map<string, string>;
  raw: string;
}

/** Folded header lines are joined, names in lower case. */
function parsed(name: string, raw: string): MailFile {
  const head = raw.slice(0, raw.indexOf('\n\n')).replace(/\n[ \t]+/g, ' ');
  const headers = head.split('\n').map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  return { name, raw, headers: new Map(headers) };
}

/** All mails written so far, oldest first. */
export function mailFiles(dataDir: string): MailFile[] {
  const folder = path.join(dataDir, 'mail');
  if (!existsSync(folder)) return [];
  const mails = readdirSync(folder).map((name) =>
    parsed(name, readFileSync(path.join(folder, name), 'utf8')),
  );
  const idOf = ({ headers }: MailFile) => headers.get('message-id') ?? '';
  return mails.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

/** The mails to an address, oldest first, once everything waiting is sent. */
export async function mailsTo(app: TestApp, email: string): Promise<MailFile[]> {
  await app.app.jobs.run('send-mails');
  return mailFiles(app.dataDir).filter(({ headers }) => headers.get('to') === email);
}

/** The code of the newest mail to an address. */
export async function codeFor(app: TestApp, email: string): Promise<string> {
  const codes = (await mailsTo(app, email)).map(({ raw }) => /^ {4}([A-HJ-NP-Z2-9]{6})$/m.exec(raw)?.[1]);
  const code = codes.filter((found) => found !== undefined).at(-1);
  if (!code) throw new Error(`no mail with a code came to ${email}`);
  return code;
}

/** The text of a mail as a mail program shows it. */
export function plainText({ raw }: MailFile): string {
  const [head, body] = /text\/plain[\s\S]*?\n\n([\s\S]*?)\n--/.exec(raw)!;
  if (!/^content-transfer-encoding: quoted-printable$/im.test(head)) return body!;
  const bytes = body!
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** Where the links of a mail lead, in order: the page, and what it reads from the address. */
export function linksIn(mail: MailFile): { page: string; email: string; code: string }[] {
  return [...plainText(mail).matchAll(/^(https?:\S+)#(\S+)$/gm)].map(([, page, hash]) => ({
    ...{ page: page!, email: '', code: '' },
    ...Object.fromEntries(new URLSearchParams(hash)),
  }));
}

/** The code in the link of the newest mail to an address. */
export async function linkCodeFor(app: TestApp, email: string): Promise<string> {
  const [link] = linksIn((await mailsTo(app, email)).at(-1)!);
  if (!link) throw new Error(`the newest mail to ${email} has no link`);
  return link.code;
}

/** The token of a verified address. */
export async function verifiedToken(app: TestApp, email: string): Promise<string> {
  await app.anyone.post('/register/initiate', { email });
  const { status, body } = await app.anyone.post('/register/verify', {
    email,
    code: await codeFor(app, email),
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.verification_token;
}

/** A complete registration. @returns the response's body */
export async function register(app: TestApp, email: string, more: Data = {}): Promise<Data> {
  const verification_token = await verifiedToken(app, email);
  const { status, body } = await app.anyone.post('/register/complete', {
    verification_token,
    account_name: `Studio of ${email}`,
    ...more,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}
