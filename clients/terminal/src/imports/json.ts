import { parseExactly } from '../base/json/exact-json.js';
import { UsageError } from '../output/failure.js';
import { exportOf } from './exports.js';
import { type FileRecord, type FileTable, isRecord } from './table/file-table.js';
import { SeenColumns } from './table/nested.js';
import { missingPages } from './table/pages.js';

/** Characters of a JSON file, which is read as a whole. */
const LONGEST_JSON = 256 * 1_024 * 1_024;

/** The value of a JSON file. @throws UsageError it is too large, or ends early */
export async function wholeJson(text: AsyncIterable<string>): Promise<unknown> {
  let all = '';
  for await (const part of text) {
    all += part;
    if (all.length > LONGEST_JSON) {
      throw new UsageError(
        `the file is larger than ${LONGEST_JSON} characters. Save it as NDJSON, one object per line`,
      );
    }
  }
  try {
    return parseExactly(all);
  } catch (error) {
    throw new UsageError(faultOf((error as Error).message, all.trimEnd().length));
  }
}

function faultOf(message: string, length: number): string {
  if (/after JSON/.test(message))
    return 'the file has several JSON documents. Write one list, or NDJSON with one object per line';
  const isCut =
    /end of JSON|Unterminated/.test(message) || Number(/position (\d+)/.exec(message)?.[1]) >= length;
  const way = isCut ? 'Download it again' : 'If it is no JSON, say so with --format';
  return `the file is not valid JSON, or is cut off: ${message}. ${way}`;
}

/** A list of objects. */
interface FoundList {
  path: string;
  list: unknown[];
  /** The objects that it is in, the innermost last. */
  around: Record<string, unknown>[];
}

const DEEPEST = 4;

function* listsOf(value: unknown, path: string, around: Record<string, unknown>[]): Generator<FoundList> {
  if (Array.isArray(value)) {
    if (value.length === 0 || value.some(isRecord)) yield { path, list: value, around };
  } else if (isRecord(value) && around.length < DEEPEST) {
    for (const [name, member] of Object.entries(value))
      yield* listsOf(member, path ? `${path}.${name}` : name, [...around, value]);
  }
}

/** The reason why lines of NDJSON have no scores in them. @param isOnly there is one line */
export function noScoreIn(values: Record<string, unknown>, isOnly: boolean): string | undefined {
  const error = errorIn(values);
  const [first] = listsOf(values, '', []);
  if (error !== undefined || !first || first.list.length === 0) return error;
  const way = isOnly ? 'Use --format json' : 'Write the objects of all lists one per line';
  return `a line of the file is an object with a list in "${first.path}", such as a page. ${way}`;
}

/** The sentence for a file that is the error of a service in place of data; undefined: it is none. */
function errorIn(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { error, errors, message, detail } = value;
  const first = error ?? (Array.isArray(errors) ? errors[0] : errors);
  const said = isRecord(first) ? first.message : first;
  const words = [said, message, detail].find((text) => typeof text === 'string' && text !== '');
  if (words === undefined || (first === undefined && Object.keys(value).length > 4)) return undefined;
  return `the file is an error that a service answered: "${String(words).slice(0, 200)}". Repeat the download`;
}

/**
 * JSON with a list of objects.
 * @param named columns that the user names
 * @param isUnderstood whether these columns can be imported
 * @throws UsageError there is none, or there are several that could be meant
 */
export async function json(
  text: AsyncIterable<string>,
  named: readonly string[],
  isUnderstood: (columns: readonly string[]) => boolean,
): Promise<FileTable> {
  const value = await wholeJson(text);
  const lists = [...listsOf(value, '', [])];
  const columnsOf = (list: readonly unknown[]) => {
    const seen = new SeenColumns(named);
    for (const values of list) if (isRecord(values)) seen.take(values);
    return seen.all;
  };
  const fit = lists.length === 1 ? lists : lists.filter(({ list }) => isUnderstood(columnsOf(list)));
  const [scores, other] = fit;
  const error = scores && isUnderstood(columnsOf(scores.list)) ? undefined : errorIn(value);
  if (error !== undefined) throw new UsageError(error);
  if (!scores || other) {
    const what = isRecord(value)
      ? `an object with ${Object.keys(value)
          .slice(0, 20)
          .map((name) => `"${name}"`)
          .join(', ')}`
      : 'no list of objects';
    throw new UsageError(
      other
        ? `the file has more than one list of objects: ${fit.map(({ path }) => `"${path}"`).join(', ')}. ` +
            'Save the one to import in a file of its own'
        : (errorIn(value) ?? `the file is ${what}, but must be a list of objects with a player and a value`),
    );
  }
  async function* records(): AsyncGenerator<FileRecord> {
    for (const [index, values] of scores!.list.entries()) {
      if (isRecord(values)) yield { line: index + 1, values };
      else yield { line: index + 1, values: {}, fault: 'is not a JSON object' };
    }
  }
  const columns = columnsOf(scores.list);
  const check = exportOf(columns) ? 'is from an export whose last line (trailer) is missing' : undefined;
  return {
    columns,
    records: records(),
    missing: () => missingPages(scores.list.length, scores.around) ?? check,
  };
}
