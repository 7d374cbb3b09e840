import { escaped } from '../base/html.js';
import type { MailContent } from './outbox.js';

/** The parts of a mail; plain text and HTML are made of the same ones. */
export interface MailPart {
  /** `code`: prominent and easy to select; `link`: an address of this service; `note`: small, at the end. */
  kind: 'paragraph' | 'code' | 'link' | 'note';
  text: string;
}

export const paragraph = (text: string): MailPart => ({ kind: 'paragraph', text });
export const smallPrint = (text: string): MailPart => ({ kind: 'note', text });
export const shownCode = (text: string): MailPart => ({ kind: 'code', text });
export const link = (url: string): MailPart => ({ kind: 'link', text: url });

export function greeting(displayName: string): MailPart {
  const name = mailName(displayName);
  return paragraph(name === undefined ? 'Hello,' : `Hello ${name},`);
}

/** Control and bidirectional characters and other invisible ones, except those that join letters and emoji. */
const HIDDEN_CHARACTERS = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Text that mail programs turn into links: schemes, addresses, names and numbers of hosts. */
const ADDRESS_PATTERN =
  /@|\/\/|\b(?:mailto|tel|sms|data|javascript):|\bwww\b|[\p{L}\p{N}_-][.。]\p{L}{2}|\d{1,3}(?:\.\d{1,3}){3}/iu;

/** True if a name holds no address and no character that reorders or hides text. */
export function isPlainName(name: string): boolean {
  return (
    name.search(HIDDEN_CHARACTERS) < 0 && !ADDRESS_PATTERN.test(name.replace(IGNORED, '').normalize('NFKC'))
  );
}

/**
 * Makes a name that a stranger chose fit for a mail of the service, which its reader trusts.
 * @returns undefined when it holds an address, or nothing is left of it
 */
export function mailName(name: string): string | undefined {
  const seen = name.replace(HIDDEN_CHARACTERS, '').trim();
  return seen !== '' && isPlainName(seen) ? seen : undefined;
}

/** Terminals and mail programs that quote show lines of this length unbroken. */
const LINE_LENGTH = 72;

function wrappedLines(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE_LENGTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

/**
 * Many mail programs apply inline styles only; those that support dark mode apply these rules, too. No images, and no links
 * but those of this service: nothing is loaded and little can be imitated.
 */
const DARK = `@media (prefers-color-scheme: dark) {
  .page { background: #14171c !important; } .sheet { background: #1e232b !important; border-color: #333b47 !important; }
  .text, .code { color: #eef1f5 !important; } .note { color: #a3adba !important; } .code { background: #2a313b !important; }
}`;

const FONT = "font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif;";

const STYLES: Record<MailPart['kind'], [tag: string, classes: string, style: string]> = {
  paragraph: ['p', 'text', 'margin: 0 0 16px; font-size: 16px; line-height: 1.5; color: #1c2230;'],
  code: [
    'p',
    'code',
    'margin: 0 0 16px; padding: 16px 8px; border-radius: 8px; background: #eef1f6; color: #1c2230; ' +
      'text-align: center; font: 700 32px/1.2 ui-monospace, Menlo, Consolas, monospace; letter-spacing: 6px;',
  ],
  link: [
    'a',
    'text',
    'display: block; margin: 0 0 16px; font-size: 16px; line-height: 1.5; color: #1f4fbf; word-break: break-all;',
  ],
  note: ['p', 'note', 'margin: 16px 0 0; font-size: 13px; line-height: 1.5; color: #667085;'],
};

function htmlOf(subject: string, pieces: MailPart[]): string {
  const body = pieces.map(({ kind, text }) => {
    const [tag, classes, style] = STYLES[kind];
    const href = kind === 'link' ? ` href="${escaped(text)}"` : '';
    return `<${tag}${href} class="${classes}" style="${style}">${escaped(text)}</${tag}>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${DARK}</style>
</head>
<body class="page" style="margin: 0; padding: 24px 12px; background: #f4f6f9; ${FONT}">
<div class="sheet" style="max-width: 480px; margin: 0 auto; padding: 28px 24px; border: 1px solid #e1e5eb; border-radius: 12px; background: #ffffff;">
${body.join('\n')}
</div>
</body>
</html>
`;
}

const INDENT = '    ';

function plain(pieces: MailPart[]): string {
  const parts = pieces.map(({ kind, text }) => {
    if (kind === 'code') return INDENT + text;
    if (kind === 'link') return text;
    return kind === 'note' ? `-- \n${wrappedLines(text)}` : wrappedLines(text);
  });
  return `${parts.join('\n\n')}\n`;
}

/** A mail in both forms. */
export function letterOf(subject: string, pieces: MailPart[]): MailContent {
  return { subject, text: plain(pieces), html: htmlOf(subject, pieces) };
}
