import { readFileSync } from 'node:fs';
import path from 'node:path';
import { WHOLE, type Whole } from './callers.js';

/** The policies as text, explained at its beginning. */
const TABLE = path.resolve(__dirname, '../../fixtures/policies.txt');

/** The owner of the record that a request names. */
const TARGETS = ['none', 'live', 'deleted', 'buried', 'suspended'] as const;
export type Target = (typeof TARGETS)[number];

/** The outcome of a request: `ok`, `null` (a response that shows nothing) or the code of its error. */
export type Outcome = string;

export interface Policy {
  /** The outcome for each caller with a valid credential; only these targets are requested. */
  cells: Map<Target, Record<Whole, Outcome>>;
  /** True if an invalid credential is ignored. */
  open: boolean;
  /** True if all callers see published records. */
  published: boolean;
}

const SHORT: Record<string, Outcome> = {
  KEY: 'API_KEY_REQUIRED',
  TOKEN: 'TOKEN_REQUIRED',
  SUPER: 'SUPERADMIN_REQUIRED',
  '403': 'FORBIDDEN',
  '404': 'NOT_FOUND',
  ACCOUNT: 'ACCOUNT_ID_REQUIRED',
  SUSP: 'ACCOUNT_SUSPENDED',
  GAME: 'BOARD_NOT_IN_GAME',
  DEAD: 'INVALID_REFRESH_TOKEN',
  BLOCKED: 'DEVICE_BLOCKED',
  BAD: 'VALIDATION_FAILED',
  CODE: 'INVALID_CODE',
  VOID: 'INVALID_TOKEN',
  PROOF: 'PROOF_REFUSED',
};

function outcomesOf(words: string[]): Record<Whole, Outcome> {
  if (words.length !== WHOLE.length) throw new Error(`"${words.join(' ')}" is not of ${WHOLE.length} cells`);
  return Object.fromEntries(
    WHOLE.map((name, index) => [name, SHORT[words[index]!] ?? words[index]!]),
  ) as Record<Whole, Outcome>;
}

function parsed(table: string): Map<string, Policy> {
  const policies = new Map<string, Policy>();
  let current: Policy | undefined;
  for (const line of table.replace(/^#.*/gm, '').split('\n')) {
    const [first, ...words] = line.trim().split(/\s+/) as [string, ...string[]];
    const head = /^([A-Z_]+)((?: open| published)*)(?::|$)/.exec(line);
    if (head) {
      current = {
        cells: new Map(),
        open: head[2]!.includes('open'),
        published: head[2]!.includes('published'),
      };
      policies.set(head[1]!, current);
    } else if (first !== '') {
      if (!current || !TARGETS.includes(first as Target)) throw new Error(`"${line}" is no line of a policy`);
      current.cells.set(first as Target, outcomesOf(words));
    }
  }
  return policies;
}

const policies = parsed(readFileSync(TABLE, 'utf8'));

/** @param name of test/fixtures/policies.txt */
export function policyOf(name: string): Policy {
  const policy = policies.get(name);
  if (!policy) throw new Error(`test/fixtures/policies.txt has no ${name}`);
  return policy;
}
