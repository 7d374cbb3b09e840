/** Text that is HTML already; every other value is escaped when it is inserted. */
export class Html {
  constructor(readonly text: string) {}
}

export type Piece = Html | string | number | false | null | undefined | Piece[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns text with the signs of HTML as entities, for content and for attributes in double quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}

/** Signs that turn the text after them: an element keeps them from its neighbours, but its own text would read reversed. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

function textOf(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(textOf).join('');
  return piece === false || piece === null || piece === undefined
    ? ''
    : escaped(String(piece).replace(TURNS, ''));
}

/** A template of HTML: strings are escaped and without signs that turn text, lists are joined, absent values are left out. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(strings.map((string, i) => string + textOf(pieces[i])).join(''));
}

/** Returns a description as HTML; text in backticks becomes code. */
export function prose(text: unknown): Html {
  return new Html(escaped(String(text ?? '')).replace(/`([^`]+)`/g, '<code>$1</code>'));
}
