/** The column that says so in each line whose texts may be marked: lines keep it when they are sorted, cut or split. */
export const MARKED = 'cells_marked';

/** Texts that spreadsheets compute, and marked ones, so that each text has a form of its own. */
const COMPUTED = /^'*[=+\-@\t\r]/;
const WITH_MARK = /^'+[=+\-@\t\r]/;

/** The text with a mark where a spreadsheet would compute it. */
export function markedText(text: string): string {
  return COMPUTED.test(text) ? `'${text}` : text;
}

/** A line of a file as it was before its texts were marked; other lines as they are. */
export function withoutMarks(values: Record<string, unknown>): Record<string, unknown> {
  const { [MARKED]: marked, ...own } = values;
  if (typeof marked !== 'string' || marked.toLowerCase() !== 'true') return values;
  for (const [name, value] of Object.entries(own))
    if (typeof value === 'string' && WITH_MARK.test(value)) own[name] = value.slice(1);
  return own;
}
