import { isDeepStrictEqual } from 'node:util';
import { shownAddressOf } from '../base/outbound/shown-address.js';
import { ratioConfigFields } from '../boards/ratios/ratio-config.js';
import { type Declaration, givenBy } from '../boards/views/rules.js';
import { fileName, type Kind, restName, type Values } from './fields.js';
import { isValues } from './file.js';
import { type Inputs, inputName } from './wanted.js';

/** Fields of inputs by the columns they set, where the names differ. */
const INPUT_FIELDS: Record<string, string> = { antiCheatSettings: 'antiCheatObject' };

/** The file's name of a column. */
export function fieldOf(column: string): string {
  return fileName(restName(column));
}

const RATIO_DEFAULTS: ReadonlyMap<string, unknown> = new Map(
  Object.entries(ratioConfigFields).flatMap(([name, { initial }]) =>
    initial === undefined ? [] : [[restName(name), initial] as const],
  ),
);

/** Shows columns as a file says them. */
export class Shown {
  /** @param names what a file says for an id; undefined: nothing */
  constructor(
    private readonly inputs: Inputs,
    private readonly names: (id: string) => unknown,
  ) {}

  /** A value for plans, which end up in logs: an address by its host. */
  planned(kind: Kind, column: string, value: unknown, isNew: boolean): unknown {
    if (column === 'url') return shownAddressOf(String(value));
    // Of a change, a default may be what is new.
    if (column === 'ratioConfig' && !isNew) return this.#ratio(this.#spelled(kind, column, value));
    return this.value(kind, column, value);
  }

  /** A value without what has its default. */
  value(kind: Kind, column: string, value: unknown): unknown {
    if (value === undefined || value === null) return null;
    const given = column === 'views' ? (value as Declaration[]).map(givenBy) : value;
    const spelled = this.#spelled(kind, column, given);
    if (column === 'ratioConfig') return this.#ratio(spelled, RATIO_DEFAULTS);
    return this.#named(column, spelled);
  }

  #spelled(kind: Kind, column: string, value: unknown): unknown {
    return this.inputs.shown(inputName(kind), INPUT_FIELDS[column] ?? column, value);
  }

  #ratio(config: unknown, defaults?: ReadonlyMap<string, unknown>): Values | null {
    if (!isValues(config)) return null;
    const given = Object.entries(config).filter(
      ([name, value]) => !defaults?.has(name) || !isDeepStrictEqual(value, defaults.get(name)),
    );
    return Object.fromEntries(given.map(([name, value]) => [fileName(name), this.#named(name, value)]));
  }

  #named(name: string, value: unknown): unknown {
    if (!/Ids?$|_id$/.test(name)) return value;
    return Array.isArray(value) ? value.map((id: string) => this.names(id)) : this.names(String(value));
  }
}
