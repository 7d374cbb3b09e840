import type { MailContent } from '../mail/outbox.js';

/** The parts of a mail; plain text and HTML are made of the same ones. */
export interface Piece {
  /** `code`: prominent and easy to select; `note`: small, at the end. */
  kind: 'paragraph' | 'code' | 'note';
  text: string;
}

/** Terminals and mail programs that quote show lines of this length unbroken. */
const LINE = 72;

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
}

/**
 * Many mail programs apply inline styles only; those that support dark mode apply these rules, too. No images, no
 * links: nothing is loaded and nothing can be imitated.
 */
const DARK = `@media (prefers-color-scheme: dark) {
  .page { background: #14171c !important; } .sheet { background: #1e232b !important; border-color: #333b47 !important; }
  .text, .code { color: #eef1f5 !important; } .note { color: #a3adba !important; } .code { background: #2a313b !important; }
}`;

const FONT = "font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif;";

const STYLES: Record<Piece['kind'], [tag: string, classes: string, style: string]> = {
  paragraph: ['p', 'text', 'margin: 0 0 16px; font-size: 16px; line-height: 1.5; color: #1c2230;'],
  code: [
    'p',
    'code',
    'margin: 0 0 16px; padding: 16px 8px; border-radius: 8px; background: #eef1f6; color: #1c2230; text-align: center; font: 700 32px/1.2 ui-monospace, Menlo, Consolas, monospace; letter-spacing: 6px;',
  ],
  note: ['p', 'note', 'margin: 16px 0 0; font-size: 13px; line-height: 1.5; color: #667085;'],
};

function html(subject: string, pieces: Piece[]): string {
  const body = pieces.map(({ kind, text }) => {
    const [tag, classes, style] = STYLES[kind];
    return `<${tag} class="${classes}" style="${style}">${escaped(text)}</${tag}>`;
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

function plain(pieces: Piece[]): string {
  const parts = pieces.map(({ kind, text }) => {
    if (kind === 'code') return INDENT + text;
    return kind === 'note' ? `-- \n${wrapped(text)}` : wrapped(text);
  });
  return `${parts.join('\n\n')}\n`;
}

/** A mail in both forms. */
export function letterOf(subject: string, pieces: Piece[]): MailContent {
  return { subject, text: plain(pieces), html: html(subject, pieces) };
}
