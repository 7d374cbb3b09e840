import { isDeepStrictEqual } from 'node:util';
import { shownAddressOf } from '../base/outbound/shown-address.js';
import { ratioConfigFields } from '../boards/ratios/ratio-config.js';
import { type Declaration, givenBy } from '../boards/views/rules.js';
import { fileName, type Kind, restName, type Values } from './fields.js';
import { isValues } from './file.js';
import { type Inputs, inputName } from './wanted.js';

/** Column names by those of the file. */
const FILE_NAMES: Record<string, string> = { antiCheatSettings: 'antiCheatObject' };

/** The file's name of a column. */
export function fieldOf(column: string): string {
  return fileName(restName(column));
}

/** Without members that say nothing. */
function brief(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(brief);
  if (!isValues(value)) return value;
  const given = Object.entries(value).filter(
    ([, member]) => member != null && !(Array.isArray(member) && member.length === 0),
  );
  return Object.fromEntries(given.map(([name, member]) => [name, brief(member)]));
}

/** Columns that are lists of objects, or objects with members that the service fills in. */
const BRIEF = ['views', 'dimensions', 'closingRules', 'format'];

/** Shows columns as a file says them. */
export class Shown {
  /** @param names what a file says for an id; undefined: nothing */
  constructor(
    private readonly inputs: Inputs,
    private readonly names: (id: string) => unknown,
  ) {}

  /** A value for plans, which end up in logs: an address by its host. */
  planned(kind: Kind, column: string, value: unknown): unknown {
    return column === 'url' ? shownAddressOf(String(value)) : this.value(kind, column, value);
  }

  value(kind: Kind, column: string, value: unknown): unknown {
    if (value === undefined || value === null) return null;
    const field = FILE_NAMES[column] ?? column;
    const given = column === 'views' ? (value as Declaration[]).map(givenBy) : value;
    const spelled = this.inputs.shown(inputName(kind), field, given);
    if (column === 'ratioConfig') return this.#ratio(spelled as Values);
    return this.#named(column, BRIEF.includes(column) ? brief(spelled) : spelled);
  }

  /** Without members that have their default. */
  #ratio(config: Values): Values {
    const fields = Object.entries(ratioConfigFields).filter(([, { initial }]) => initial !== undefined);
    const defaults = new Map(fields.map(([name, { initial }]) => [restName(name), initial]));
    const given = Object.entries(config).filter(
      ([name, value]) => !isDeepStrictEqual(value, defaults.get(name)),
    );
    return Object.fromEntries(given.map(([name, value]) => [fileName(name), this.#named(name, value)]));
  }

  #named(name: string, value: unknown): unknown {
    if (!/Ids?$|_id$/.test(name)) return value;
    return Array.isArray(value) ? value.map((id: string) => this.names(id)) : this.names(String(value));
  }
}
