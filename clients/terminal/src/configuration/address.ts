import { shownAddressOf } from '../base/outbound/shown-address.js';
import type { Values } from './fields.js';

/** An address of the file that is read from the environment: `${NAME}`. */
const VARIABLE = '[A-Za-z_][A-Za-z0-9_]*';
const PLACEHOLDER = new RegExp(`^\\$\\{(${VARIABLE})\\}$`);

/** The environment variable that has the address; undefined: the file has it. */
export function variableOf(url: unknown): string | undefined {
  return PLACEHOLDER.exec(String(url))?.[1];
}

/** An address as the service stores it; undefined: its variable is not set. */
export function addressOf(url: unknown): string | undefined {
  const name = variableOf(url);
  const address = name === undefined ? String(url) : process.env[name];
  return address && URL.canParse(address) ? new URL(address).href : address || undefined;
}

/** Who knows the address of a chat's webhook can post there. Those with a query often have a token in it. */
export function isSecretAddress({ format, url }: Values): boolean {
  return (format ?? 'json') !== 'json' || (URL.canParse(String(url)) && new URL(String(url)).search !== '');
}

/** Placeholders of a printed file, each once. */
export class Placeholders {
  readonly #taken = new Set<string>();

  of(name: string): string {
    const words = name.toUpperCase().match(/[A-Z0-9]+/g) ?? [];
    const base = ['WEBHOOK', ...words, 'URL'].join('_');
    let variable = base;
    for (let n = 2; this.#taken.has(variable); n += 1) variable = `${base}_${n}`;
    this.#taken.add(variable);
    return `\${${variable}}`;
  }
}

/** A planned value for people: plans end up in logs of CI. */
export function maskedValue(field: string, value: unknown): unknown {
  return field === 'url' && URL.canParse(String(value)) ? shownAddressOf(String(value)) : value;
}
