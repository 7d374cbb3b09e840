import { parseExactly } from '../../base/json/exact-json.js';
import { UsageError } from '../output/failure.js';
import { exportOf } from './exports.js';
import { type FileRecord, type FileTable, isRecord } from './table/file-table.js';
import { SeenColumns } from './table/nested.js';
import { missingPages } from './table/pages.js';

/** JSON is read as a whole. */
const LONGEST_JSON = 256 * 1_024 * 1_024;
/** @throws UsageError it is too large, or ends early */
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
    throw new UsageError(`the file is not valid JSON, or is cut off: ${(error as Error).message}`);
  }
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
  const [found, other] = fit;
  if (!found || other) {
    const what = isRecord(value)
      ? `an object with ${Object.keys(value)
          .slice(0, 20)
          .map((name) => `"${name}"`)
          .join(', ')}`
      : 'no list of objects';
    throw new UsageError(
      other
        ? `the file has more than one list of objects: ${fit.map(({ path }) => `"${path}"`).join(', ')}. Save the one to import in a file of its own`
        : `the file is ${what}, but must be a list of objects with a player and a value`,
    );
  }
  async function* records(): AsyncGenerator<FileRecord> {
    for (const [index, values] of found!.list.entries()) {
      if (isRecord(values)) yield { line: index + 1, values };
      else yield { line: index + 1, values: {}, fault: 'is not a JSON object' };
    }
  }
  const columns = columnsOf(found.list);
  const check = exportOf(columns) ? 'is from an export whose last line (trailer) is missing' : undefined;
  return {
    columns,
    records: records(),
    missing: () => missingPages(found.list.length, found.around) ?? check,
  };
}
