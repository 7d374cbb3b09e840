import {
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { Data } from '../http.js';
import { rootField } from './documents.js';

/**
 * The result of a field of a record: `shown`, `hidden` (others see something there) or the code it is refused with.
 */
export type Fared = string;

const REFUSALS = ['API_KEY_REQUIRED', 'TOKEN_REQUIRED', 'FORBIDDEN', 'SUPERADMIN_REQUIRED'];

/**
 * The fields refused in a response, as `Game.devices`.
 * @param of the type selected on interfaces
 */
export function refusedFields(
  schema: GraphQLSchema,
  door: string,
  of: string | undefined,
  errors: Data[] = [],
): Map<string, Fared> {
  const found = new Map<string, Fared>();
  for (const { path, extensions } of errors) {
    if (!path || !REFUSALS.includes(extensions.code)) continue;
    const field = fieldAt(schema, door, of, path);
    if (field !== door) found.set(field, extensions.code);
  }
  return found;
}

/** The field at a path of a response. */
function fieldAt(
  schema: GraphQLSchema,
  door: string,
  of: string | undefined,
  path: (string | number)[],
): string {
  let type: GraphQLOutputType = rootField(schema, door).field.type;
  let at = door;
  for (const step of path.slice(1)) {
    if (typeof step === 'number') continue;
    const named = getNamedType(type);
    const member = isUnionType(named) && named.getTypes().find((one) => one.getFields()[step]);
    const record = member || (isAbstractType(named) ? schema.getType(of!) : named);
    if (!isObjectType(record)) throw new Error(`${door} has no ${path.join('.')}`);
    at = `${record.name}.${step}`;
    type = record.getFields()[step]!.type;
  }
  return at;
}

/** Types whose fields describe the page and not a record. */
const PAGE = /(Connection|PageInfo)$/;

/** The fields of a type that callers who see its records saw, and those they did not. */
export class Sightings {
  readonly #fields = new Map<string, Set<Fared>>();

  note(field: string, fared: Fared): void {
    const seen = this.#fields.get(field) ?? new Set();
    this.#fields.set(field, seen.add(fared));
  }

  /**
   * Compares the fields that two responses to the same request have in common.
   * @returns those shown in this one
   */
  compare(mine: unknown, theirs: unknown): string[] {
    if (Array.isArray(mine) && Array.isArray(theirs)) {
      return mine.flatMap((item, index) => this.compare(item, sameRecord(theirs, item, index)));
    }
    if (!isRecord(mine) || !isRecord(theirs) || mine.__typename !== theirs.__typename) return [];
    // Each reader of a subscription gets a change of its own.
    if (mine.id !== theirs.id) return [];
    return Object.entries(mine).flatMap(([name, value]) => {
      const other = theirs[name];
      const below = this.compare(value, other);
      if (PAGE.test(mine.__typename) || isEmpty(other)) return below;
      const field = `${mine.__typename}.${name}`;
      this.note(field, isEmpty(value) ? 'hidden' : 'shown');
      return isEmpty(value) ? below : [field, ...below];
    });
  }

  /** All fields with their results. */
  all(): Record<string, Fared> {
    return Object.fromEntries(
      [...this.#fields].map(([field, fared]) => [field, [...fared].toSorted().join(', ')]),
    );
  }

  /** Fields that were not always shown. */
  unseen(): Record<string, Fared> {
    return Object.fromEntries(Object.entries(this.all()).filter(([, fared]) => fared !== 'shown'));
  }
}

function isRecord(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function sameRecord(items: unknown[], item: unknown, index: number): unknown {
  if (!isRecord(item) || typeof item.id !== 'string') return items[index];
  return items.find((other) => isRecord(other) && other.id === item.id);
}
