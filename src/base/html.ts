/** Text that is HTML already; everything else is escaped where it is put in. */
export class Html {
  constructor(readonly text: string) {}
}

export type Piece = Html | string | number | false | null | undefined | Piece[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}

function textOf(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(textOf).join('');
  return piece === false || piece === null || piece === undefined ? '' : escaped(String(piece));
}

/** A template of HTML: strings are escaped, lists are joined, what is not there leaves nothing. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(strings.map((string, i) => string + textOf(pieces[i])).join(''));
}

/** A description: what stands in backticks is code. */
export function prose(text: unknown): Html {
  return new Html(escaped(String(text ?? '')).replace(/`([^`]+)`/g, '<code>$1</code>'));
}
